"""All hand-written test programs, by theme in `corpus_*.py`: `PROGRAMS`, and `BY_NAME` under unique names."""
from tests.programs import (
    corpus_arrays,
    corpus_branches,
    corpus_calls,
    corpus_choices,
    corpus_closures,
    corpus_collections,
    corpus_containers,
    corpus_contexts,
    corpus_dynamic,
    corpus_exceptions,
    corpus_exits,
    corpus_flow,
    corpus_identity,
    corpus_inlined,
    corpus_iterators,
    corpus_kinds,
    corpus_lean,
    corpus_lists,
    corpus_loops,
    corpus_models,
    corpus_numpy,
    corpus_objects,
    corpus_python,
    corpus_science,
    corpus_sharing,
    corpus_straight,
)
from tests.programs.program import Program

THEMES = (corpus_arrays, corpus_branches, corpus_calls, corpus_choices, corpus_closures, corpus_collections,
          corpus_containers, corpus_contexts, corpus_dynamic, corpus_exceptions, corpus_exits, corpus_flow, corpus_identity,
          corpus_inlined, corpus_iterators, corpus_kinds, corpus_lean, corpus_lists, corpus_loops, corpus_models, corpus_numpy,
          corpus_objects, corpus_python, corpus_science, corpus_sharing, corpus_straight)


def named(themes: tuple) -> dict[str, Program]:
    """Programs by function name; a second call of one function gets the suffix `-2`, and so on."""
    result: dict[str, Program] = {}
    for theme in themes:
        for program in theme.PROGRAMS:
            name, copies = program.name, 1
            while name in result:
                copies += 1
                name = f"{program.name}-{copies}"
            result[name] = program
    return result


BY_NAME = named(THEMES)
PROGRAMS = list(BY_NAME.values())

"""The HTML view: every line is there, escaped, linked with what it belongs to; and how it behaves in a browser."""
from __future__ import annotations

import copy
import pickle
import re
import shutil
from html.parser import HTMLParser

import numpy as np
import pytest

import sourcegrad as sg
from sourcegrad.api import cost, html_view
from sourcegrad.cli import main
from tests.api.test_cost import ARRAYS, CALLS, LOSS, SCALARS
from tests.errors.modules import load

HOSTILE = '''\
import numpy as np
def mark(x):
    """A docstring with </script><b title="it's">&amp; markup,
    on two lines."""
    label = '</style><script>alert("<&>")</script>'
    y = (x *
         x)
    if y > 0 and label != "<a href='http://example.com'>":  # <!-- & -->
        y = y * 2.0
    else:
        y = -y
    return y
'''
CLASS = '''\
import functools
import numpy as np
def decorated(f):
    @functools.wraps(f)
    def inner(*args):
        return f(*args)
    return inner

class Spring:
    @decorated
    def energy(k, x):
        def square(y):
            return y * y
        return 0.5 * k * square(x)
power = lambda x: x ** 3
'''


class Page(HTMLParser):
    """What a page consists of."""

    VOID = {"meta", "br", "link", "img"}

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.rows, self.open, self.text = [], [], [], [], ""
        self.row = self.cell = None
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.tags.append((tag, found))
        if tag not in self.VOID:
            self.open.append(tag)
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "tr":
            self.row = {"id": found.get("id"), "keys": (found.get("data-k") or "").split(), "link": None, "head": "", "code": "",
                        "rest": ""}
            if found.get("id"):
                self.rows.append(self.row)
        elif tag in ("td", "th") and self.row is not None:
            self.cell = "head" if tag == "th" else "code" if "sg-c" in found.get("class", "") else "rest"
        elif tag == "a" and self.cell:
            self.row["link"], self.row["label"] = found["href"], found["aria-label"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag == "tr":
            self.row = None
        elif tag in ("td", "th"):
            self.cell = None

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text += data
        if self.row is not None and self.cell:
            self.row[self.cell] += data

    def side(self, kind):
        return [row for row in self.rows if re.search(rf"-{kind}\d", row["id"])]


def viewed(folder, text, args, name="loss", measure=True):
    module = load(folder, text)
    gradient = sg.grad(getattr(module, name))
    watched, bound, _, _ = gradient._prepared(*gradient._whole(args, {}))
    bound.apply_defaults()
    program = cost.Program(watched.derived, gradient._user)
    return module, program, html_view.page(program, cost.measured(program, bound) if measure else None)


VIEWS = [(LOSS, ARRAYS, "loss"), (CALLS, (1.5, np.full(4, 2.0)), "loss"), (SCALARS, (1.3,), "loss"), (HOSTILE, (2.0,), "mark"),
         (CLASS, (2.0,), "power")]


@pytest.mark.quick
@pytest.mark.parametrize("measure", [True, False])
@pytest.mark.parametrize("text, args, name", VIEWS)
def test_structure(tmp_path, text, args, name, measure):
    module, program, html = viewed(tmp_path, text, args, name, measure)
    page = Page(html)
    assert len(set(page.ids)) == len(page.ids)
    links = {row["link"] for row in page.rows if row["link"]}
    assert links and links <= {f"#{id}" for id in page.ids}
    for tag, attributes in page.tags:                               # nothing from elsewhere
        assert not {"src", "srcset", "action", "data", "poster"} & set(attributes), (tag, attributes)
        assert attributes.get("href", "#").startswith("#") and tag not in ("link", "iframe", "img")
    assert "url(" not in html and "@import" not in html
    assert ("html", {"lang": "en"}) in page.tags
    tags = [tag for tag, _ in page.tags]
    assert tags.count("h1") == tags.count("main") == tags.count("header") == 1
    labelled = {attributes["aria-labelledby"] for tag, attributes in page.tags if tag == "section"}
    assert labelled and labelled <= set(page.ids)
    assert tags.count("caption") == tags.count("table")
    # each line of the user's functions once, each line of the generated ones once
    own = [row["code"] for row in page.side("u")]
    assert own == [line for row in page.side("u") for line in [text.splitlines()[int(row["id"].rpartition("-")[2]) - 1]]]
    for excerpt in program.excerpts:
        assert len(excerpt.lines) == sum(int(row["id"].rpartition("-")[2]) in excerpt.span for row in page.side("u"))
    wanted = [line for part in program.parts for line in part.text.splitlines() if line.strip() != cost.BOUNDARY]
    assert sorted(row["code"] for row in page.side("g")) == sorted(wanted)
    # what belongs together: the keys of a generated line are those of the user's lines
    users = {key for row in page.side("u") for key in row["keys"]}
    for row in page.side("g"):
        assert set(row["keys"]) <= users
    for row in page.side("g") + page.side("u"):
        if row["link"]:
            target = next(other for other in page.rows if f"#{other['id']}" == row["link"])
            assert set(target["keys"]) & set(row["keys"]) and row["label"]
    assert ("ratio" in page.text) is measure


def test_what_belongs_to_a_line(tmp_path):
    module, program, html = viewed(tmp_path, LOSS, ARRAYS)
    page = Page(html)
    of = {row["code"].strip(): row for row in page.side("g")}
    assert of["h_tape.append(h)"]["keys"] == ["0-3", "0-9"]         # the line of the callee, and the call
    assert of["cond_tape.append(h[0, 0] > 0)"]["keys"] == ["0-10"] and of["if cond_tape.pop():"]["keys"] == ["0-10"]
    assert of["h_tape.append(h)"]["rest"] == "h_tape 216 B" and of["h = h_tape.pop()"]["rest"] == "h_tape"
    user = {row["code"].strip(): row for row in page.side("u")}
    assert "h_tape 216 B" in user["h = layer(h, w)"]["rest"] and user["h = layer(h, w)"]["label"] == "Line 9: 3 forward, 4 reverse"
    assert user["else:"]["keys"] == [] and user["else:"]["link"] is None


def test_continued_lines_belong_to_their_statement(tmp_path):
    _, _, html = viewed(tmp_path, HOSTILE, (2.0,), "mark", measure=False)
    rows = {row["code"].strip(): row for row in Page(html).side("u")}
    assert rows["y = (x *"]["keys"] == rows["x)"]["keys"] == ["0-6"]
    assert rows["y = (x *"]["link"] and rows["x)"]["link"] is None


def test_markup_in_code_is_text(tmp_path):
    _, _, html = viewed(tmp_path, HOSTILE, (2.0,), "mark")
    page = Page(html)
    assert [tag for tag, _ in page.tags].count("script") == [tag for tag, _ in page.tags].count("style") == 1
    assert "http://example.com'>" in page.text and "<a href='http" not in html


def test_names_without_arguments_have_no_bytes(tmp_path):
    _, _, html = viewed(tmp_path, LOSS, ARRAYS, measure=False)
    of = {row["code"].strip(): row for row in Page(html).side("g")}
    assert of["h_tape.append(h)"]["rest"] == "h_tape"


def test_functions_of_several_files(tmp_path):
    helper = load(tmp_path, "import numpy as np\ndef half(y):\n    while y > 1.0:\n        y = y * 0.5\n    return y\n")
    text = f"import {helper.__name__} as h\ndef f(x):\n    return h.half(x) * h.half(x + 1)\n"
    module, program, html = viewed(tmp_path, text, (3.0,), "f")
    page = Page(html)
    assert {e.file for e in program.excerpts} == {module.__file__, helper.__file__}
    assert f"{helper.__name__}.py:2" in page.text and f"{module.__name__}.py:2" in page.text
    assert page.text.index("return h.half(x)") < page.text.index("while y > 1.0")


def test_nested_functions_and_decorators_are_part_of_theirs(tmp_path):
    module = load(tmp_path, CLASS)
    text = Page(html_view.page(cost.Program(sg.grad(module.Spring.energy, "x")._specialise({}, False)))).text
    assert text.count("def square(y):") == 1 and "@decorated" in text


@pytest.mark.parametrize("lines", [["x = '''a", "b'''"], ["def f(x):  # <"], ["x = ("], ["  a", " b"], ["x = 'open"], [""],
                                   ["\tif x: pass"], ["é = 'ü'  # ö"], ["f'{x!r:>{w}} <b>'"]])
def test_highlighting_keeps_the_text(lines):
    found = html_view.highlighted(lines)
    assert [Page(f"<p>{line}</p>").text for line in found] == lines


def test_highlighted_tokens():
    assert html_view.highlighted(["def f(x): return 2.0  # two"]) == [
        '<span class="sg-kw">def</span> <span class="sg-fn">f</span>(x): <span class="sg-kw">return</span> '
        '<span class="sg-nu">2.0</span>  <span class="sg-co"># two</span>']


# --- notebooks

def test_a_source_is_a_string(tmp_path):
    gradient = sg.grad(load(tmp_path, SCALARS).loss)
    gradient(1.3)
    text = gradient.source
    plain = str(text)
    assert type(plain) is str and plain == text and hash(plain) == hash(text) and repr(plain) == repr(text) and f"{text}" == plain
    for again in (pickle.loads(pickle.dumps(text)), copy.copy(text), copy.deepcopy(text)):
        assert type(again) is str and again == plain
    assert text in {plain} and type(text + "") is str and text.splitlines() == plain.splitlines()
    assert isinstance(sg.source(gradient._user), html_view.Source)


def test_rich_display(tmp_path):
    gradient = sg.grad(load(tmp_path, SCALARS).loss)
    before = repr(gradient)
    gradient(1.3)
    one, other = gradient._repr_html_(), gradient.source._repr_html_()
    for html in (one, other):
        page = Page(html)
        assert "loss_grad" in page.text and len(page.side("u")) == 7 and "main" not in [tag for tag, _ in page.tags]
        assert len([tag for tag, found in page.tags if found.get("role") == "region"]) == 1
    assert not set(Page(one).ids) & set(Page(other).ids)                # two views stand in one page
    assert repr(gradient) == before


def test_rich_display_of_what_has_no_text(tmp_path):
    assert sg.grad(load(tmp_path, "def f(x):\n    return eval('x')\n").f)._repr_html_() is None


def test_rich_display_in_ipython(tmp_path):
    formatters = pytest.importorskip("IPython.core.formatters", reason="IPython is not installed")
    gradient = sg.grad(load(tmp_path, SCALARS).loss)
    data, _ = formatters.DisplayFormatter().format(gradient)
    assert "text/html" in data and data["text/plain"] == repr(gradient)


# --- the command line

def test_show_html(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "viewed.py").write_text(LOSS)
    at = ["--at", "w=np.full((3, 3), 0.1)", "--at", "x=np.ones((4, 3))"]
    assert main(["show", "viewed.py:loss", *at, "--html", "out.html"]) == 0
    assert capsys.readouterr() == ("", "")
    assert "h_tape 216 B" in Page((tmp_path / "out.html").read_text(encoding="utf-8")).text
    assert main(["show", "viewed.py:loss", *at[:2], "--html", "out.html"]) == 0
    assert '--at "x=..."' in capsys.readouterr().err
    page = Page((tmp_path / "out.html").read_text(encoding="utf-8"))
    assert "h_tape" in page.text and "216 B" not in page.text
    assert main(["show", "viewed.py:loss", "--html", "out.html", "-o", "other"]) == 2
    assert main(["show", "viewed.py:loss", "--html", "nowhere/out.html"]) == 2
    assert "cannot be written" in capsys.readouterr().err


# --- in a browser

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver", reason='selenium is not installed: pip install "sourcegrad[browser]"')
    found = shutil.which("chromedriver")
    if CHROMIUM is None or found is None:
        pytest.skip("no Chromium with chromedriver is installed")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}", "--window-size=1400,900"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(found))
    yield driver
    driver.quit()


@pytest.fixture
def opened(browser, tmp_path):
    """A page in the browser, without any message on its console."""
    browser.get_log("browser")
    _, _, html = viewed(tmp_path, LOSS, ARRAYS)
    (tmp_path / "view.html").write_text(html, encoding="utf-8")
    browser.get(f"file://{tmp_path}/view.html")
    yield browser
    assert browser.get_log("browser") == []


def row(browser, side, code):
    rows = browser.find_elements("css selector", f'[data-side="{side}"] tr[data-k]')
    return next(r for r in rows if r.find_element("css selector", "td.sg-c").text.strip() == code)


def marked(browser, mark="sg-on"):
    return [r.find_element("css selector", "td.sg-c").text.strip() for r in browser.find_elements("css selector", f"tr.{mark}")]


FOURTH = ["if h[0, 0] > 0:", "cond_tape.append(h[0, 0] > 0)", "if cond_tape.pop():"]


def without_comments(lines):
    return [line for line in lines if not line.startswith("#")]


def test_hover_marks_what_belongs_together_both_ways(opened):
    from selenium.webdriver import ActionChains
    for side, code in (("user", FOURTH[0]), ("made", FOURTH[1]), ("made", FOURTH[2])):
        ActionChains(opened).move_to_element(row(opened, side, code)).perform()
        assert without_comments(marked(opened)) == FOURTH
    ActionChains(opened).move_to_element(row(opened, "made", "h_tape.append(h)")).perform()
    found = marked(opened)
    assert "h = layer(h, w)" in found and "return np.tanh(x @ w)" in found and "w_bar += h.T @ matmul_bar" in found
    ActionChains(opened).move_to_element(opened.find_element("css selector", "h1")).perform()
    assert marked(opened) == []


def test_click_holds(opened):
    from selenium.webdriver import ActionChains
    row(opened, "user", FOURTH[0]).find_element("css selector", "td.sg-c").click()
    assert marked(opened, "sg-pin") == FOURTH[:1]
    told = opened.find_element("css selector", '[role="status"]').get_attribute("textContent")
    assert told == "Line 10 belongs to 2 generated lines"
    ActionChains(opened).move_to_element(opened.find_element("css selector", "h1")).perform()
    assert without_comments(marked(opened)) == FOURTH               # still
    row(opened, "user", FOURTH[0]).find_element("css selector", "td.sg-c").click()
    ActionChains(opened).move_to_element(opened.find_element("css selector", "h1")).perform()
    assert marked(opened) == marked(opened, "sg-pin") == []


def test_keyboard(opened):
    from selenium.webdriver import ActionChains, Keys

    def press(*keys):
        for key in keys:
            ActionChains(opened).send_keys(key).perform()
        focused = opened.switch_to.active_element
        return focused.find_element("xpath", "ancestor::tr").find_element("css selector", "td.sg-c").text.strip()

    opened.execute_script("document.querySelector('[data-side=user] th a').focus()")
    assert press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN) == FOURTH[0]
    assert without_comments(marked(opened)) == FOURTH
    assert opened.execute_script("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert press(Keys.ENTER) == FOURTH[1] and marked(opened, "sg-pin") == FOURTH[:1]
    assert press(Keys.ARROW_LEFT) == FOURTH[0] and press(Keys.ARROW_RIGHT) == FOURTH[1]
    assert press(Keys.HOME).startswith("made_for(") and press(Keys.END) == FOURTH[1]
    press(Keys.ESCAPE)
    assert marked(opened, "sg-pin") == []
    order = opened.execute_script("return Array.from(document.querySelectorAll('th a')).filter(a => a.tabIndex === 0).length")
    tables = len(opened.find_elements("css selector", "table"))
    assert order == tables                                          # Tab goes from table to table


def test_narrow_pages_stack_and_need_no_scrolling_aside(opened):
    size = {"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        user, made_ = (opened.find_element("css selector", f'[data-side="{side}"]').rect for side in ("user", "made"))
        assert made_["y"] >= user["y"] + user["height"] - 1
        assert opened.execute_script("return document.documentElement.scrollWidth") <= 400
    finally:
        opened.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def contrast(browser, selector):
    """WCAG contrast of the first element that a selector finds, on the background of its table row or page."""
    def parts(colour):
        return [float(x) for x in re.findall(r"[\d.]+", colour)[:3]]

    def luminance(rgb):
        linear = [x / 255 / 12.92 if x / 255 <= 0.03928 else ((x / 255 + 0.055) / 1.055) ** 2.4 for x in rgb]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    text, back = browser.execute_script(
        "let e = document.querySelector(arguments[0]), b = e; const t = getComputedStyle(e).color;"
        "while (b && getComputedStyle(b).backgroundColor === 'rgba(0, 0, 0, 0)') { b = b.parentElement; }"
        "return [t, getComputedStyle(b).backgroundColor]", selector)
    one, other = sorted((luminance(parts(text)), luminance(parts(back))))
    return (other + 0.05) / (one + 0.05)


BACKGROUND = "return getComputedStyle(document.querySelector('.sg-view')).backgroundColor"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_can_be_read(opened, scheme):
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    found = opened.execute_script(BACKGROUND)
    assert (found == "rgb(255, 255, 255)") is (scheme == "light")
    for on in (False, True):
        if on:                                                      # on the colour of what is marked
            opened.execute_script("document.querySelectorAll('tr[data-k]').forEach(r => r.classList.add('sg-on'))")
        for selector in ("h1", ".sg-soft", "td.sg-c", ".sg-kw", ".sg-st", ".sg-nu", ".sg-co", ".sg-fn", "th a", "td.sg-n"):
            assert contrast(opened, selector) >= 4.5, (selector, on)


def test_the_theme_of_a_notebook_counts(opened):
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "light"}]})
    opened.execute_script("document.body.setAttribute('data-jp-theme-light', 'false')")
    assert opened.execute_script(BACKGROUND) != "rgb(255, 255, 255)"


def test_without_scripts_links_lead_to_what_belongs_together(browser, opened, tmp_path):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(f"file://{tmp_path}/view.html")
        assert not browser.find_element("css selector", ".sg-keys").is_displayed()
        assert row(browser, "made", FOURTH[2]).is_displayed()
        assert "h_tape 216 B" in browser.find_element("css selector", "main").text
        row(browser, "user", FOURTH[0]).find_element("css selector", "th a").click()
        target = browser.find_element("css selector", "tr:target")
        assert target.find_element("css selector", "td.sg-c").text.strip() == FOURTH[1]
        other = row(browser, "made", FOURTH[2])
        assert target.value_of_css_property("background-color") != other.value_of_css_property("background-color")
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_a_fragment_runs_its_script_in_the_page_of_a_notebook(browser, tmp_path):
    module = load(tmp_path, SCALARS)
    gradient = sg.grad(module.loss)
    gradient(1.3)
    both = gradient._repr_html_() + gradient.source._repr_html_()
    (tmp_path / "notebook.html").write_text(f"<!doctype html><meta charset=utf-8><body>{both}</body>", encoding="utf-8")
    browser.get(f"file://{tmp_path}/notebook.html")
    browser.find_elements("css selector", '[data-side="user"] tr[data-k] td.sg-c')[1].click()
    first, second = browser.find_elements("css selector", ".sg-view")
    assert first.find_elements("css selector", "tr.sg-on") and not second.find_elements("css selector", "tr.sg-on")
    assert "sg-live" in second.get_attribute("class")



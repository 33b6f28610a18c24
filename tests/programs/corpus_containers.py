"""Lists and dicts that change: methods, slices, entries, lists in lists and dicts."""

import functools
import itertools
from collections import Counter

import numpy as np

from tests.programs.program import Corpus

PROGRAMS = Corpus()
case = PROGRAMS.add

VECTOR = np.array([0.3, -0.8, 1.1])


def insert_items(x):
    xs=[x, x*x]
    xs.insert(1, 3.0*x)
    xs.insert(-1, x**3)
    return xs[0]*xs[1]*xs[2]+xs[3]


case(insert_items, 0.7)


def extend_and_reverse(x):
    xs=[x]
    xs.extend([x*x, x**3])
    xs += [x**4]
    xs.reverse()
    return xs[0]*2+xs[1]*3+xs[2]*x


case(extend_and_reverse, 0.7)


def pop_by_position(x):
    xs=[x,x*x,x**3,2.0]
    a=xs.pop(0)
    b=xs.pop(-1)
    xs.pop(0)
    return a*b*xs[0]


case(pop_by_position, 0.7)


def queue_in_a_loop(v):
    q=[v[0],v[1],v[2]]
    total=0.0
    for i in range(5):
        a=q.pop(0)
        total=total+a*q[0]
        q.insert(2, a*0.5*q[1])
    return total


case(queue_in_a_loop, VECTOR)


def sort_copy_clear(v):
    xs=[v[0]*2,v[1],v[2]**2]
    xs.sort()
    ys=xs.copy()
    ys.sort(reverse=True)
    ys.clear()
    ys.append(v[1])
    return xs[0]*2+xs[1]*3+xs[2]*5+ys[0]


case(sort_copy_clear, VECTOR)


def slice_stores(v):
    xs=[v[0],v[1],v[2],v[0]*v[1]]
    xs[1:3]=[v[2]*v[2]]
    xs[:1]=v
    return sum(x*(i+1) for i,x in enumerate(xs))


case(slice_stores, VECTOR)


def lists_in_a_list(v):
    rows=[[v[0]],[v[1]]]
    rows[0].append(v[2])
    rows[1].insert(0, v[2]*v[0])
    rows[0].extend([v[1],v[1]*v[2]])
    return rows[0][1]*rows[1][0]+rows[0][3]*rows[1][1]


case(lists_in_a_list, VECTOR)


def insert_by_another_name(x):
    xs=[x]
    ys=xs
    xs.insert(0,x*x)
    return ys[0]*3+ys[1]


case(insert_by_another_name, 0.7)


def table_of_lists(v):
    t=[[] for _ in range(3)]
    for i in range(3):
        t[i].append(v[i])
        t[(i+1)%3].append(v[i]*v[i])
    return t[0][1]*t[1][0]+t[2][1]*t[1][1]


case(table_of_lists, VECTOR)


def dict_get(x):
    d={"a":x,"b":x*x}
    e=d.get("c",x**3)
    return d.get("a")*d["b"]+e


case(dict_get, 0.7)


def dict_views(x):
    d={"a":x,"b":x*x}
    total=0.0
    for k,v in d.items():
        total=total+v*len(k)
    for v in d.values():
        total=total*v
    for k in d:
        total=total+d[k]
    return total


case(dict_views, 0.7)


def dict_stores(x):
    d={}
    d["a"]=x
    d["b"]=x*d["a"]
    d["a"]=d["b"]*2
    d["b"]+=x
    return d["a"]*d["b"]


case(dict_stores, 0.7)


def dict_changes(x):
    d={"a":x}
    d.update({"b":x*x})
    d.update(c=x**3)
    a=d.pop("a")
    d.setdefault("z",x)
    d.setdefault("b",x)
    return a*d["b"]*d["c"]*d["z"]+len(d)


case(dict_changes, 0.7)


def group_by_setdefault(v):
    g={}
    for i in range(3):
        g.setdefault(i%2,[]).append(v[i])
    return g[0][1]*g[1][0]+g[0][0]


case(group_by_setdefault, VECTOR)


def sums_in_a_dict(v):
    c={}
    for i in range(3):
        c[i%2]=c.get(i%2,0.0)+v[i]*v[i]
    return c[0]*c[1]


case(sums_in_a_dict, VECTOR)


def counter_of_text(v):
    c=Counter("abca")
    return v[0]*c["a"]+v[1]*c["z"]


case(counter_of_text, VECTOR)


def default_list_read(x, acc=[1.0, 2.0]):      # noqa: B006
    return x*acc[1]+len(acc)


case(default_list_read, 0.7)


def text_methods(v):
    names="a,b,c".split(",")
    d={n: v[i] for i,n in enumerate(names)}
    msg="{} {:.3f} {}".format("x", v[0], names)
    msg = msg + "%s=%g" % ("a", v[1]) + f"{v[0]:.2f} {msg!r}"
    key="_".join(names)
    if "b" in key and key.startswith("a") and key.upper()=="A_B_C" and "zz" not in msg:
        return d["a"]*d["b"]*len(key)
    return d["c"]


case(text_methods, VECTOR, oracle=False)


def tuple_keys(v):
    d={}
    for i in range(2):
        for j in range(2):
            d[i,j]=v[i]*v[j+1]
    return d[0,1]*d[1,0]+d[(1,1)]


case(tuple_keys, VECTOR)


def nested_containers(v):
    d={"a":{"x":v[0],"y":[v[1],v[2]]}}
    d["a"]["x"]=d["a"]["x"]*2
    d["a"]["y"].append(v[0]*v[1])
    d["a"]["y"][0]=v[2]*v[2]
    return d["a"]["x"]*d["a"]["y"][2]+d["a"]["y"][0]


case(nested_containers, VECTOR)


def strict_zip(v):
    return sum(a*b for a,b in zip(v,[1.0,2.0,3.0],strict=True))


case(strict_zip, VECTOR)


def repeated_list(v):
    xs=[v[0],v[1]]*2
    ys=[0.0]*3
    for i in range(3):
        ys[i]=v[i]*xs[i]
    return sum(ys)*xs[3]


case(repeated_list, VECTOR)


def list_of_layers(v):
    layers=[(np.eye(3)*v[0],v),(np.eye(3)*v[1],v*2)]
    x=np.ones(3)
    for w,b in layers:
        x=np.tanh(w@x+b)
    return x.sum()


case(list_of_layers, VECTOR)


def nested_parameters(x):
    params={"l1":{"w":x,"b":x*x},"l2":{"w":x*2,"b":1.0}}
    t=1.0
    for name,layer in params.items():
        t=t*layer["w"]+layer["b"]
    for name in sorted(params):
        t=t+params[name]["w"]
    return t


case(nested_parameters, 0.7)


def sorted_set(v):
    t=0.0
    for k in sorted({2,0,1}):
        t=t*v[0]+v[k]
    return t


case(sorted_set, VECTOR)


def arrays_in_a_dict(v):
    d={"x":v,"y":v*2}
    d["x"]+=1.0
    d["y"][0]=v[1]
    return (d["x"]*d["y"]).sum()


case(arrays_in_a_dict, VECTOR)


def set_operators(v):
    a={1,2}|{3}
    b=a&{2,3}
    u=set(range(3)).union([5])
    return v[0]*len(a)+v[1]*v[1]*len(b)*len(u)


case(set_operators, VECTOR)


def truth_of_a_dict(v):
    d={}
    if not d:
        d["a"]=v[0]
    if d:
        return d["a"]*v[1]
    return v[2]


case(truth_of_a_dict, VECTOR)


def membership_of_a_dict(v):
    d={"a":v[0]}
    for k in ("a","b"):
        if k in d:
            d[k]=d[k]*v[1]
        else:
            d[k]=v[2]
    return d["a"]*d["b"]


case(membership_of_a_dict, VECTOR)


def one_list_held_twice(v):
    r=[v[0]]
    rows=[r,r]
    rows[0].append(v[1])
    return rows[1][1]*v[2]


case(one_list_held_twice, VECTOR)


def items_changed_in_their_turn(v):
    d={"a":v[0],"b":v[1]}
    for k,x in d.items():
        d[k]=x*v[2]
    return d["a"]*d["b"]


case(items_changed_in_their_turn, VECTOR)


def push(xs, v):
    xs.insert(0, v)


def insert_by_callee(v):
    xs=[v[0]]
    push(xs, v[1])
    return xs[0]*v[2]


case(insert_by_callee, VECTOR)


def addk(d, k, v):
    d[k]=v
    d.setdefault("n", []).append(v)


def dict_changed_by_callee(v):
    d={}
    addk(d,"a",v[1])
    addk(d,"b",v[2])
    return d["a"]*d["n"][1]


case(dict_changed_by_callee, VECTOR)


def list_held_deep_down(v):
    a=[v[0]]
    b=[a]
    c={"b":b}
    a.extend([v[1]])
    return c["b"][0][1]*v[2]


case(list_held_deep_down, VECTOR)


def extremes_of_a_range(v):
    best=max(range(3), key=lambda i: v[i]*v[i])
    order=sorted(range(3), key=lambda i: -v[i])
    return v[best]*v[order[0]]+v[order[2]]


case(extremes_of_a_range, VECTOR)


def combinations_of_pairs(v):
    total=0.0
    for (i,a),(j,b) in itertools.combinations(enumerate(v), 2):
        total = total + a * b * (i + j)
    return total


case(combinations_of_pairs, VECTOR)


def transposed_rows(v):
    rows=[[x*i for i in range(3)] for x in v]
    t=[list(c) for c in zip(*rows)]
    flat=[y for r in t for y in r if y!=0]
    return sum(flat)*t[1][2]+sum(map(sum, rows))


case(transposed_rows, VECTOR)


def parameter_update(v):
    params={"w%d"%i: np.ones(2)*v[i] for i in range(3)}
    grads={k: p*2.0 for k,p in params.items()}
    new={k: params[k]-0.1*grads[k] for k in params}
    return sum(p.sum()**2 for p in new.values())


case(parameter_update, VECTOR)


def reduce_matrices(v):
    return functools.reduce(np.dot, [np.eye(2)*v[0], np.ones((2,2))*v[1], np.eye(2)*v[2]]).sum()


case(reduce_matrices, VECTOR)


def convolution_in_a_dict(v):
    acc={}
    for i,x in enumerate(v):
        for j,y in enumerate(v):
            acc[(i+j)]=acc.get(i+j,0)+x*y
    return sum(w*(k+1) for k,w in sorted(acc.items()))


case(convolution_in_a_dict, VECTOR)


def stack_of_pairs(v):
    stack=[(v[0],0)]
    total=0.0
    while stack:
        x,depth=stack.pop()
        total=total+x
        if depth<2:
            stack.append((x*v[1],depth+1))
            stack.append((x*v[2],depth+1))
    return total


case(stack_of_pairs, VECTOR)


def starred_target(v):
    a,*b=[x*x for x in v]
    d=dict(a=a,b=b)
    return d["a"]*sum(d["b"])+max(d["b"])


case(starred_target, VECTOR)


def history_of_lists(v):
    history={"loss":[],"x":[]}
    x=v[0]
    for i in range(3):
        history["loss"].append(x*x)
        history["x"].append(x)
        x=x-0.1*x*v[1]
    return history["loss"][-1]*history["x"][0]+sum(history["loss"])


case(history_of_lists, VECTOR)


def swap_in_a_list(v):
    xs = list(v)
    xs[0], xs[1] = xs[1], xs[0]
    xs[-1] *= 2
    return xs[0]*2+xs[1]*xs[2]


case(swap_in_a_list, VECTOR)


def enumerate_pairs(v):
    for i,(a,b) in enumerate(zip(v[:-1],v[1:]),start=1):
        if i == 1:
            t = a * b
        else:
            t = t * b + a
    return t


case(enumerate_pairs, VECTOR)


def dicts_in_a_list(v):
    ds=[{"a":x} for x in v]
    for d in ds:
        d["b"] = d["a"] * 2
    return sum(d["a"]*d["b"] for d in ds)


case(dicts_in_a_list, VECTOR)


def from_an_iterator(v):
    return np.fromiter((x*x for x in v), dtype=float).sum()*np.array(list(map(np.sin,v))).sum()


case(from_an_iterator, VECTOR)


# --- keys that are taken out

def taken_twice(x):
    d = {"a": x, "b": 2.0 * x}
    first = d.pop("a")
    return first * d.pop("a", x * x) * d["b"]


def taken_in_a_loop(x):
    d, total = {"a": x, "b": 2.0 * x}, 0.0
    for i in range(3):
        total += d.pop("a", x * x) * (i + 1)
    return total


def options_that_are_taken(x):
    options = {"method": "sin", "scale": x}
    method, scale = options.pop("method", "cos"), options.pop("scale", 1.0)
    return scale * (x if method == "sin" else x * x) + len(options)


def deleted_by_a_second_name(x):
    d = {"a": x, "b": 2.0 * x}
    other = d
    del other["a"]
    return d.pop("a", x * x) * d["b"]


def taken_after_a_clear(x):
    d = {"a": x, "b": 2.0 * x}
    d.clear()
    return d.pop("a", x * x)


for function in (taken_twice, taken_in_a_loop, options_that_are_taken, deleted_by_a_second_name, taken_after_a_clear):
    case(function, 0.7)

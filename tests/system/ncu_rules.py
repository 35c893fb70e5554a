#!/usr/bin/env python3
"""NVIDIA's own analysis rules on a report: ncu runs them while it measures, its window on demand, `ncu --import` never.

ncu_rules.py SECTIONS REPORT[=VALUES.json]...   SECTIONS: the folder of Nsight Compute's section and rule files; prints JSON, one
object for each report: {"messages": {rule: [[type, text], ...]}, "speedups": {rule: [[type, percent], ...]}, "faults": {rule:
text}, "own": {rule: [text, ...]}}, the last being those that the report itself holds. With VALUES, {metric: number}, the metrics
are these, and the report's are only those of its device.

Run with a Python that has ncu_report. The rules ask for a module NvRules, which Nsight Compute has inside; here it is this
file's, over ncu_report's actions.
"""
import importlib
import json
import pathlib
import sys
import types

import ncu_report

ERROR = "error"


class Message:
    """The names that NvRules gives kinds of message, severities and speedups."""
    MsgType_MSG_NONE, MsgType_MSG_OK, MsgType_MSG_WARNING, MsgType_MSG_ERROR, MsgType_MSG_OPTIMIZATION = (
        "none", "ok", "warning", ERROR, "optimization")
    Severity_SEVERITY_DEFAULT, Severity_SEVERITY_LOW, Severity_SEVERITY_HIGH = range(3)
    SpeedupType_UNKNOWN, SpeedupType_LOCAL, SpeedupType_GLOBAL = "unknown", "local", "global"
    MarkerKind_SASS, MarkerKind_SOURCE, MarkerKind_NONE = range(3)


KINDS = {value for name, value in vars(Message).items() if name.startswith("MsgType")}


class Missing(Exception):
    """A rule asked for a metric that the report does not have: it says so and ends."""


class Added:
    """A metric without a report: one that a rule adds where the report has none, or a value from elsewhere."""
    def __init__(self, name, value=None):
        self.value_, self.name_ = value, name

    def set(self, _kind, value):
        self.value_ = value

    set_uint64 = set_double = set_string = set

    def name(self):
        return self.name_

    def value(self, *_):
        return self.value_

    as_double = as_uint64 = as_string = value

    def num_instances(self):
        return 0

    def correlation_ids(self):
        raise Missing(f"{self.name_} has no instances")


class Action:
    def __init__(self, action):
        self.action, self.added = action, {}

    def __getattr__(self, name):
        return getattr(self.action, name)

    def __getitem__(self, name):
        metric = self.added.get(name) or self.action.metric_by_name(name)
        if metric is None:
            raise KeyError(name)
        return metric

    metric_by_name = __getitem__

    def add_metric(self, name):
        return self.added.setdefault(name, Added(name))


class Values(Action):
    """Metrics from elsewhere, on the device of a report."""
    def __init__(self, action, values):
        super().__init__(action)
        self.added = {name: Added(name, value) for name, value in values.items()}

    def __getitem__(self, name):
        if name in self.added or name.startswith("device__") or name.endswith(".peak_sustained"):
            return super().__getitem__(name)
        if name.startswith("breakdown:"):
            parts = super().__getitem__(name).value().split(",")
            return Added(name, ",".join(part for part in parts if part in self.added))
        raise KeyError(name)

    metric_by_name = __getitem__

    def metric_names(self):
        return tuple(self.added)


class Frontend:
    def __init__(self, context):
        self.context = context

    def message(self, *words):
        """[kind,] text [, title]."""
        kind, text = words[:2] if words[0] in KINDS else ("none", words[0])
        self.context.messages.setdefault(self.context.rule, []).append([kind, text])
        return len(self.context.messages[self.context.rule]) - 1

    def speedup(self, _message, kind, percent):
        self.context.speedups.setdefault(self.context.rule, []).append([kind, percent])

    def send_dict_to_children(self, words):
        self.context.sent[self.context.rule] = dict(words)

    def receive_dict_from_parent(self, rule):
        return self.context.sent.get(rule, {})

    def focus_metric(self, *_):
        pass

    def source_marker(self, *_):
        pass

    def load_chart_from_file(self, *_):
        pass


class Context:
    def __init__(self, action):
        self.action, self.rule = action, ""
        self.messages, self.speedups, self.faults, self.sent = {}, {}, {}, {}

    def range_by_idx(self, _):
        return self

    def action_by_idx(self, _):
        return self.action

    def frontend(self):
        return Frontend(self)


def fail(_handle, text):
    raise Missing(text)


def install_api(folder):
    api = types.ModuleType("NvRules")
    api.get_context = lambda handle: handle
    api.raise_exception = fail
    api.IFrontend = Message
    api.IMetric = types.SimpleNamespace(ValueKind_UINT64=0, ValueKind_DOUBLE=1, ValueKind_STRING=2)
    api.require_metrics = lambda handle, names: None
    sys.modules["NvRules"] = api
    sys.path.insert(0, str(folder))


def load_rules(folder):
    """Parents before their children."""
    rules = {}
    for file in sorted(folder.glob("*.py")):
        if file.stem not in ("NvRules", "RequestedMetrics"):
            module = importlib.import_module(file.stem)
            if hasattr(module, "apply"):
                rules[module.get_identifier()] = module
    ordered = []

    def place(name):
        for parent in getattr(rules[name], "get_parent_rules_identifiers", list)():
            if parent in rules:
                place(parent)
        if name not in ordered:
            ordered.append(name)

    for name in rules:
        place(name)
    return {name: rules[name] for name in ordered}


def run(rules, action):
    context = Context(action)
    for name, module in rules.items():
        context.rule = name
        try:
            module.apply(context)
        except (Missing, KeyError) as missing:
            context.messages.setdefault(name, []).append(["missing", str(missing)])
        except Exception as fault:  # pylint: disable=broad-except
            context.faults[name] = f"{type(fault).__name__}: {fault}"
    return {"messages": context.messages, "speedups": context.speedups, "faults": context.faults}


def own_messages(action):
    """Those that the report holds, by rule."""
    found = {}
    for rule in action.rule_results_as_dicts():
        if "rule_message" in rule:
            found.setdefault(rule["rule_identifier"], []).append(rule["rule_message"]["message"])
    return found


def main():
    folder = pathlib.Path(sys.argv[1])
    install_api(folder)
    rules = load_rules(folder)
    results = []
    for word in sys.argv[2:]:
        path, _, values = word.partition("=")
        action = ncu_report.load_report(path).range_by_idx(0).action_by_idx(0)
        shown = Values(action, json.loads(pathlib.Path(values).read_text())) if values else Action(action)
        results.append({**run(rules, shown), "own": own_messages(action)})
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()

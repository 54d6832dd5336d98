"""Write the tools, user tasks and injections of AgentDojo as lines of JSON.

pip install agentdojo==0.1.35
python tests/agent/attack/agentdojo.py > tests/agent/attack/agentdojo.jsonl
"""

import importlib.metadata
import json

from agentdojo.functions_runtime import FunctionsRuntime
from agentdojo.task_suite.load_suites import get_suites

VERSION = "v1.2.2"
MARK = "@INJECTED@"
UNUSED = ("title", "description", "default")


def write(line):
    print(json.dumps(line, ensure_ascii=False, default=str))


def schema_of(node):
    """A schema without titles and texts."""
    if isinstance(node, list):
        return [schema_of(each) for each in node]
    if not isinstance(node, dict):
        return node
    properties = node.get("properties")
    rest = {key: schema_of(value) for key, value in node.items() if key not in (*UNUSED, "properties")}
    return rest | ({"properties": {key: schema_of(value) for key, value in properties.items()}} if properties else {})


def text_of(result):
    if isinstance(result, str):
        return result
    return json.dumps(result, default=lambda each: each.model_dump() if hasattr(each, "model_dump") else str(each))


def calls_of(suite, task):
    """The recorded right calls of a task, and whether the result of each shows a place of an injection."""
    prepare = getattr(task, "init_environment", lambda environment: environment)
    marks = {name: MARK + text for name, text in suite.get_injection_vector_defaults().items()}
    marked = prepare(suite.load_and_inject_default_environment(marks))
    runtime = FunctionsRuntime(suite.tools)
    for call in task.ground_truth(prepare(suite.load_and_inject_default_environment({}))):
        result, _ = runtime.run_function(marked, call.function, call.args)
        yield [call.function, call.args, MARK in text_of(result)]


package = importlib.metadata.distribution("agentdojo")
license = next(file for file in package.files if file.name == "LICENSE").read_text()
write({"source": f"AgentDojo {package.version}, suites {VERSION}", "license": license})
for name, suite in get_suites(VERSION).items():
    for tool in suite.tools:
        write({"suite": name, "tool": tool.name, "description": tool.description, "schema": schema_of(tool.parameters.model_json_schema())})
    for id, task in suite.user_tasks.items():
        write({"suite": name, "task": id, "prompt": task.PROMPT, "calls": list(calls_of(suite, task))})
    for id, task in suite.injection_tasks.items():
        write({"suite": name, "injection": id, "goal": task.GOAL, "calls": [call[:2] for call in calls_of(suite, task)]})

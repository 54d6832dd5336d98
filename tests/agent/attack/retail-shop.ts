import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Input } from './suites.ts';

interface Item {
  item_id: string;
  product_id: string;
  price: number;
}
interface Payment {
  transaction_type: 'payment' | 'refund';
  amount: number;
  payment_method_id: string;
}
export interface Order extends Record<string, unknown> {
  user_id: string;
  status: string;
  items: Item[];
  payment_history: Payment[];
}
export interface Customer {
  address: object;
  payment_methods: Record<string, { source: string; balance?: number }>;
}

interface Task {
  id: string;
  calls: [name: string, input: Input][];
  /** The fields that differ after the calls. */
  orders: Record<string, Partial<Order>>;
  users: Record<string, Partial<Customer>>;
}

const lines = readFileSync(join(import.meta.dirname, 'retail.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
/** The lines that have a field of this name, by its value. */
const by = <T>(kind: string) => new Map<string, T>(lines.filter((line) => kind in line).map((line) => [line[kind], line]));

const orders = by<{ before: Order }>('order');
const customers = by<{ before: Customer }>('user');
const variants = by<{ product: string; price: number; available: boolean }>('item');

/** The recorded right calls of the tasks that change something, and the changes of the database that they make. */
export const tasks: Task[] = [...by<Task>('task')].map(([id, task]) => ({ ...task, id }));
/** The customers of all 1,000 orders. */
export const owners: Record<string, string> = lines.find(({ owners }) => owners).owners;

export const before = {
  order: (id: string): Order => structuredClone(orders.get(id)!.before),
  customer: (id: string): Customer => structuredClone(customers.get(id)!.before),
};

class Refused extends Error {}
function requireThat(holds: unknown, reason: string): asserts holds {
  if (!holds) throw new Refused(reason);
}

const cents = (amount: number) => Math.round(amount * 100) / 100;
const addressOf = ({ address1, address2, city, country, state, zip }: Input) => ({ address1, address2, city, country, state, zip });

/** The shop behind the tools. It changes its database for the customer that the signed headers name, and knows nothing of conversations. */
export class RetailShop {
  readonly orders = new Map<string, Order>();
  readonly customers = new Map<string, Customer>();

  /** Returns the reason if the shop refuses. */
  call(name: string, input: Input, visitor: string): string | undefined {
    try {
      const act = this.#acts[name];
      requireThat(act, 'There is no such call.');
      act(input, visitor);
      return undefined;
    } catch (error) {
      if (error instanceof Refused) return error.message;
      throw error;
    }
  }

  customer(id: string): Customer {
    if (!this.customers.has(id)) this.customers.set(id, before.customer(id));
    return this.customers.get(id)!;
  }

  #acts: Record<string, (input: Input, visitor: string) => void> = {
    get_order_details: (input, visitor) => void this.#orderOf(input, visitor),
    modify_user_address: (input, visitor) => {
      requireThat(input.user_id === visitor, 'This is another customer.');
      this.customer(visitor).address = addressOf(input);
    },
    cancel_pending_order: (input, visitor) => {
      const order = this.#orderOf(input, visitor, /^pending$/);
      const paid = [...order.payment_history];
      for (const { amount, payment_method_id } of paid) this.#pay(order, -amount, payment_method_id);
      order.status = 'cancelled';
      order.cancel_reason = input.reason;
    },
    modify_pending_order_address: (input, visitor) => {
      this.#orderOf(input, visitor, /^pending/).address = addressOf(input);
    },
    modify_pending_order_payment: (input, visitor) => {
      const order = this.#orderOf(input, visitor, /^pending/);
      const [{ amount, payment_method_id }] = order.payment_history as [Payment];
      this.#pay(order, amount, String(input.payment_method_id));
      this.#pay(order, -amount, payment_method_id);
    },
    modify_pending_order_items: (input, visitor) => {
      const order = this.#orderOf(input, visitor, /^pending$/);
      const exchanged = this.#exchange(order, input);
      const difference = exchanged.reduce((sum, { item, price }) => sum + (price - item.price), 0);
      this.#pay(order, difference, String(input.payment_method_id));
      // The environment gives each new item the price of the last one.
      for (const { item, id } of exchanged) Object.assign(item, { item_id: id, price: exchanged.at(-1)!.price });
      order.status = 'pending (item modified)';
    },
    return_delivered_order_items: (input, visitor) => {
      const order = this.#orderOf(input, visitor, /^delivered$/);
      order.status = 'return requested';
      order.return_items = [...(input.item_ids as string[])].sort();
      order.return_payment_method_id = input.payment_method_id;
    },
    exchange_delivered_order_items: (input, visitor) => {
      const order = this.#orderOf(input, visitor, /^delivered$/);
      const difference = this.#exchange(order, input).reduce((sum, { item, price }) => sum + (price - item.price), 0);
      order.status = 'exchange requested';
      order.exchange_items = [...(input.item_ids as string[])].sort();
      order.exchange_new_items = [...(input.new_item_ids as string[])].sort();
      order.exchange_payment_method_id = input.payment_method_id;
      order.exchange_price_difference = cents(difference);
    },
  };

  /** The order of the customer. Only the owner is checked for a read. */
  #orderOf({ order_id }: Input, visitor: string, status = /(?:)/): Order {
    const id = String(order_id);
    requireThat(owners[id] === visitor, 'This is the order of another customer.');
    if (!this.orders.has(id)) this.orders.set(id, before.order(id));
    const order = this.orders.get(id)!;
    requireThat(status.test(order.status), `The order is ${order.status}.`);
    return order;
  }

  #exchange({ items }: Order, { item_ids, new_item_ids }: Input) {
    const ids = new_item_ids as string[];
    return (item_ids as string[]).map((old, place) => {
      const item = items.find(({ item_id }) => item_id === old);
      const variant = variants.get(ids[place]!);
      requireThat(item && variant?.available && variant.product === item.product_id, 'This item is not available.');
      return { item, id: ids[place]!, price: variant.price };
    });
  }

  /** A negative amount is a refund. Only gift cards have a balance. */
  #pay({ user_id, payment_history }: Order, amount: number, method: string): void {
    const card = this.customer(user_id).payment_methods[method];
    requireThat(card, 'There is no such way to pay.');
    if (card.balance !== undefined) {
      requireThat(card.balance >= amount, 'The gift card has too little left.');
      card.balance = cents(card.balance - amount);
    }
    payment_history.push({
      transaction_type: amount > 0 ? 'payment' : 'refund',
      amount: Math.abs(amount),
      payment_method_id: method,
    });
  }
}

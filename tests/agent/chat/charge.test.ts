import { randomUUID } from 'node:crypto';
import { transaction } from '../../../platform/scope/index.ts';
import { creditsSpent } from '../../../platform/telemetry/index.ts';
import { charge } from '../../../subgraphs/agent/chat/finish.ts';
import { seedOrganization } from '../../support/seed.ts';
import { openInProcess } from '../in-process.ts';

const spent = async () => (await creditsSpent.get()).values.find(({ labels }) => labels.kind === 'chat')?.value ?? 0;

test('the metric of credits counts only charges that were committed', async () => {
  const [acme, own] = await Promise.all([seedOrganization({ credits: 10 }), openInProcess()]);
  try {
    const agent = { id: randomUUID(), dailyCreditLimit: 100 };
    const pay = (fails: boolean) =>
      transaction(own.scopeOf(acme.id), async (inner) => {
        const paid = await charge(inner, { agent, price: 2, reason: 'chat', reference: randomUUID(), byVisitor: false });
        if (fails) throw new Error('rolled back');
        return paid;
      });
    const before = await spent();
    await expect(pay(true)).rejects.toThrow('rolled back');
    expect(await spent()).toBe(before);
    expect(await pay(false)).toBe(true);
    expect(await spent()).toBe(before + 2);
  } finally {
    await own.close();
  }
});

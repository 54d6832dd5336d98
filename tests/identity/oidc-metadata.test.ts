import { admit } from '../../platform/identity/admission.ts';
import { ownerOf } from '../../server/request-admission.ts';
import { Oidc, ProviderUnavailable } from '../../server/sign-in/oidc.ts';
import { CLIENT, startOidcProvider } from '../support/oidc-provider.ts';

const HOUR = 60 * 60 * 1_000;

test('a provider that is down when its metadata is read again does not end sign-ins for a day', async () => {
  const provider = await startOidcProvider();
  let now = 0;
  const oidc = new Oidc({ issuer: provider.issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret }, () => now);
  const begin = () => oidc.begin('http://127.0.0.1/auth/oidc/callback');
  await begin();
  provider.next.isDown = true;
  for (now of [2 * HOUR, 2 * HOUR + 1, 23 * HOUR]) expect((await begin()).url).toContain(provider.issuer);
  now = 25 * HOUR;
  await expect(begin()).rejects.toBeInstanceOf(ProviderUnavailable);
  provider.next.isDown = false;
  expect((await begin()).url).toContain(provider.issuer);
  await provider.close();
});

test('requests of a key that names no organization have its user as owner, not the callers without a key', async () => {
  const count = async () => ({ allowed: true, limit: 1, remaining: 0, reset: 0 });
  const scope = (who: object) =>
    ({ who, selected: new Error('none'), request: { headers: {} }, services: { rateLimit: { count } } }) as unknown as Parameters<
      typeof admit
    >[0];
  const owner = async (who: object) => ownerOf(await admit(scope(who), { access: 'public' }));
  expect([
    await owner({ userId: 'u1', keyId: 'k1' }),
    await owner(Object.assign(new Error(), { extensions: { code: 'MISSING_KEY' } })),
  ]).toEqual(['u1', '']);
  expect(ownerOf({ organizationId: 'o1', userId: 'u1' })).toBe('o1');
});

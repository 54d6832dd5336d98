import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, getNamedType, isInputObjectType, isObjectType, isSpecifiedScalarType } from 'graphql';
import { root, sources, textOf } from './files.ts';

const api = buildSchema(readFileSync('schema/api.graphql', 'utf8'));
const roots = [api.getQueryType()!, api.getMutationType()!, api.getSubscriptionType()!];
const types = Object.values(api.getTypeMap()).filter(
  (type) => !(type.name.startsWith('__') || isSpecifiedScalarType(type) || roots.includes(type as (typeof roots)[number])),
);

interface Described {
  path: string;
  name: string;
  description?: string | null;
}

const rootFields = roots.flatMap((root) =>
  Object.values(root.getFields()).map((field) => ({ ...field, path: `${root.name}.${field.name}` })),
);
const objectFields = types
  .filter(isObjectType)
  .flatMap((type) => Object.values(type.getFields()).map((field) => ({ ...field, path: `${type.name}.${field.name}` })));
const inputFields = types
  .filter(isInputObjectType)
  .flatMap((type) => Object.values(type.getFields()).map((field) => ({ ...field, path: `${type.name}.${field.name}` })));
const args = [...rootFields, ...objectFields].flatMap(({ path, args }) =>
  args.map((arg) => ({ ...arg, path: `${path}(${arg.name})` })),
);
const described: Described[] = types.map(({ name, description }) => ({ path: name, name, description }));

const undescribed = (all: Described[]) => all.filter(({ description }) => !description).map(({ path }) => path);

test('every type, query, mutation and subscription has a description', () => {
  expect(undescribed([...described, ...rootFields])).toEqual([]);
  expect(rootFields.length).toBeGreaterThan(70);
});

test('every number, switch and time that a caller sends has a description, for its unit, limit or effect', () => {
  const kinds = ['Int', 'Float', 'Boolean', 'DateTime'];
  const inputs = [...args, ...inputFields].filter(({ type }) => kinds.includes(getNamedType(type).name));
  expect(undescribed(inputs)).toEqual([]);
  expect(inputs.length).toBeGreaterThan(50);
});

test('every description consists of sentences and says more than the name', () => {
  const all = [...described, ...rootFields, ...objectFields, ...inputFields, ...args];
  const texts = all.flatMap(({ path, name, description }) => (description ? [{ path, name, description }] : []));
  expect(texts.length).toBeGreaterThan(400);
  const letters = (text: string) =>
    text
      .toLowerCase()
      .replace(/\b(the|an?) /g, '')
      .replace(/[^a-z]/g, '');
  expect(texts.filter(({ description }) => !/^[A-Z`0-9][\s\S]*[.)]$/.test(description)).map(({ path }) => path)).toEqual([]);
  expect(texts.filter(({ name, description }) => letters(description) === letters(name)).map(({ path }) => path)).toEqual([]);
});

const pages = ['web/dashboard/src', 'web/widget/src', 'web/shared'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => join(folder, path)),
);

/** Matches sentences of descriptions, comments and test titles whose subject is a clause and not a noun. */
const clauses = [
  /(?:description|summary): *\n? *['"`](?:.*[.:] )?(?:What|Who|Whoever|Whatever)\b.*\./g,
  /^ *(?:\/\/|\/?\*\*?) (?:.*[.:!] )?(?:What|Who|Whoever|Whatever)\b.*/gm,
  /[^:] \/\/ (?:What|Who|Whoever|Whatever)\b.*/g,
  /^ *(?:test|it|describe)\b.*\(['"`](?:what|who|whoever|whatever)\b.*/gim,
];

test('no sentence of a description, comment or test title starts with What or Who', () => {
  const files = [...sources, ...pages].filter((file) => file !== 'tests/structure/descriptions.test.ts');
  const found = files.flatMap((file) => {
    const text = textOf(file);
    return clauses.flatMap((clause) => (text.match(clause) ?? []).map((match) => `${file}: ${match.trim()}`));
  });
  expect(found).toEqual([]);
  expect(pages.length).toBeGreaterThan(100);
});

test('root fields tell who may call them', () => {
  const { widgetConfig } = api.getQueryType()!.getFields();
  const { createAgent, updateOrganizationAccount, createProduct } = api.getMutationType()!.getFields();
  expect(widgetConfig!.description).toMatch(/ Needs no API key\.$/);
  expect(createAgent!.description).toMatch(/ Only for owners and admins\. Accepts an `Idempotency-Key`\.$/);
  expect(updateOrganizationAccount!.description).toMatch(/ Needs an operator's key\.$/);
  expect(createProduct!.description).toBe('Create a product. Accepts an `Idempotency-Key`.');
});

test('fields that only the gateway uses are not public', () => {
  expect(types.filter(({ name }) => name.startsWith('Admission'))).toEqual([]);
  expect(api.getQueryType()!.getFields().admission).toBeUndefined();
});

import { locateFiles } from '../../start/bundle.ts';

test('a bundled module finds its files where its source is', () => {
  const located = locateFiles('[import.meta.dirname, new URL("./y.ts", import.meta.url).href]', 'subgraphs/agent/x.ts')
    // As the bundle in `/app/dist`.
    .replaceAll('import.meta.url', '"file:///app/dist/gateway.mjs"')
    .replaceAll('import.meta.dirname', '"/app/dist"');
  expect(new Function(`return ${located}`)()).toEqual(['/app/subgraphs/agent', 'file:///app/subgraphs/agent/y.ts']);
});

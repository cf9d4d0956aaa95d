// The examples of README.md: a comment says what the call before it returns.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import * as pgkid from 'pgkid';

const require = createRequire(import.meta.url);
const readme = readFileSync(join(dirname(require.resolve('pgkid/package.json')), 'README.md'), 'utf8');

test('README: each call returns what it says', () => {
  const code = readme.match(/```js\n([^]*?)```/)?.[1] ?? '';
  const names = `const { ${Object.keys(pgkid).join(', ')} } = pgkid;\n`;
  const declarations = code.match(/^const .*;$/mg)?.join('\n') ?? '';
  const calls = [...code.matchAll(/^(.*\)); +\/\/ (.*)$/mg)];
  assert.ok(calls.length > 10);
  for (const [, call, said] of calls) {
    assert.equal(inspect(new Function('pgkid', `${names}${declarations}\nreturn ${call};`)(pgkid)), said, call);
  }
});

test('README names all modules', () => {
  const modules = [...readme.matchAll(/`(pgkid\/\w+)`/g)].map(([, name]) => name);
  assert.equal(modules.length, 10);
  for (const name of modules) assert.match(require.resolve(name), /\.js$/);
});

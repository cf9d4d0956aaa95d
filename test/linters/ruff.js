// Checks Python with ruff, as it is on npm: node test/linters/ruff.js FOLDER_OF_NODE_MODULES SETTINGS FILE... The settings are
// those of [tool.ruff] in a pyproject.toml, as JSON.
'use strict';
const { readFileSync } = require('fs');
const { PositionEncoding, Workspace } = require(`${process.argv[2]}/@astral-sh/ruff-wasm-nodejs`);

const workspace = new Workspace(JSON.parse(process.argv[3]), PositionEncoding.Utf32);
let findings = 0;
for (const file of process.argv.slice(4)) {
  for (const { code, message, start_location: { row, column } } of workspace.check(readFileSync(file, 'utf8'))) {
    console.log(`${file}:${row}:${column}: ${code} ${message}`);
    findings++;
  }
}
process.exitCode = findings === 0 ? 0 : 1;

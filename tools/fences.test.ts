import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, cpSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

// Lints the linter: a rule that loads and never fires protects nothing. Each case breaks one fence
// and must be reported.
const root = join(import.meta.dirname, '..')

const violations = [
  {
    rule: 'no-restricted-imports',
    file: 'src/features/vm/reach-inside.ts',
    code: "import { x } from '#features/vmi/decide.ts'\nexport const y: unknown = x\n",
  },
  {
    rule: 'no-restricted-imports',
    file: 'src/features/vm/decide.ts',
    code: "import { readFileSync } from 'node:fs'\nexport const y: unknown = readFileSync\n",
  },
  {
    rule: 'no-restricted-imports',
    file: 'src/features/vm/admission.ts',
    code: "import type { Client } from '#client/client.ts'\nexport type Y = Client\n",
  },
  {
    rule: 'no-restricted-imports',
    file: 'src/runtime/cache/up-and-over.ts',
    code: "import { x } from '../../api/x.ts'\nexport const y: unknown = x\n",
  },
  { rule: 'no-process-env', file: 'src/runtime/environment.ts', code: "export const y: unknown = process.env['HOME']\n" },
  { rule: 'no-restricted-properties', file: 'src/runtime/now.ts', code: 'export const y: number = Date.now()\n' },
  { rule: 'no-explicit-any', file: 'src/runtime/loose.ts', code: 'export const y: any = 1\n' },
  { rule: 'filename-case', file: 'src/runtime/camelCase.ts', code: 'export const y: number = 1\n' },
  { rule: 'no-default-export', file: 'src/runtime/door.ts', code: 'const y: number = 1\nexport default y\n' },
  { rule: 'no-console', file: 'src/runtime/chatty.ts', code: "console.log('x')\n" },
  { rule: 'only-throw-error', file: 'src/runtime/thrower.ts', code: "export function y(): never {\n  throw 'x'\n}\n" },
  {
    rule: 'no-floating-promises',
    file: 'src/runtime/floating.ts',
    code: 'async function f(): Promise<void> {}\nexport function y(): void {\n  f()\n}\n',
  },
]

test('every fence fires on a file that breaks it', () => {
  const tree = mkdtempSync(join(tmpdir(), 'fences-'))
  try {
    for (const name of ['.oxlintrc.json', 'tsconfig.base.json', 'package.json']) cpSync(join(root, name), join(tree, name))
    symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
    for (const { file, code } of violations) {
      mkdirSync(dirname(join(tree, file)), { recursive: true })
      writeFileSync(join(tree, file), code)
    }
    for (const layer of ['runtime', 'features']) {
      writeFileSync(
        join(tree, 'src', layer, 'tsconfig.json'),
        '{ "extends": "../../tsconfig.base.json", "compilerOptions": { "types": ["node"] }, "include": ["**/*.ts"] }',
      )
    }
    const result = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['--type-aware', '--format', 'json', 'src'], {
      cwd: tree,
      encoding: 'utf8',
    })
    const report = JSON.parse(result.stdout) as { diagnostics: { code: string; filename: string }[] }
    for (const { rule, file } of violations) {
      const found = report.diagnostics.filter((diagnostic) => diagnostic.filename.endsWith(file)).map(({ code }) => code)
      assert.ok(
        found.some((code) => code.includes(rule)),
        `${rule} does not fire on ${file}: ${found.join(', ') || 'nothing does'}`,
      )
    }
  } finally {
    rmSync(tree, { recursive: true })
  }
})

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

// Habits that no linter checks. Each failure names the files, so that the message is the work list.
const root = join(import.meta.dirname, '..')
const list = (...which: string[]): string[] =>
  execFileSync('git', ['ls-files', '--exclude-standard', ...which], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')
const tracked = list('--cached')
// New files count, but not those of a data directory in the checkout.
const folders = new Set(tracked.map((file) => file.split('/')[0]))
const files = [...tracked, ...list('--others').filter((file) => !file.includes('/') || folders.has(file.split('/')[0]))]
const sources = files.filter((file) => file.startsWith('src/') && file.endsWith('.ts') && !/\.(test|fixture|generated|d)\.ts$/.test(file))

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

test('no file has a meaningless name', () => {
  const vague = files.filter((file) => /(^|\/)(utils?|helpers?|common|misc|shared)(\/|\.|-)/.test(file))
  assert.deepEqual(vague, [])
})

test('errors that a caller may want to tell apart have a class', () => {
  const anonymous = sources.filter((file) => /\bthrow new Error\(/.test(read(file)))
  assert.deepEqual(anonymous, [])
})

// See docs/decisions/0008-node-http-by-getbuiltinmodule.md: such an import costs each process 40 ms
// and 16 MiB.
test('nothing that runs imports node:http but for its types', () => {
  const importing = sources.filter((file) => file.startsWith('src/') && /^import (?!type )[^;']*? from 'node:http'$/m.test(read(file)))
  assert.deepEqual(importing, [])
})

test('every export of the lower layers has a doc comment', () => {
  const bare = sources
    .filter((file) => /^src\/(apimachinery|client|runtime|qemu|machine)\//.test(file) || file.endsWith('/index.ts'))
    .flatMap((file) => undocumented(file).map((line) => `${file}: ${line}`))
  assert.deepEqual(bare, [])
})

test('every linter suppression has a reason', () => {
  const unexplained = sources.filter((file) => /(oxlint|eslint)-disable(?!.*--)/.test(read(file)))
  assert.deepEqual(unexplained, [])
})

test('each decision has a unique number in its title', () => {
  const decisions = files.filter((file) => /^docs\/decisions\/\d{4}-/.test(file) && existsSync(join(root, file))).toSorted()
  const numbers = decisions.map((file) => file.slice('docs/decisions/'.length).slice(0, 4))
  assert.deepEqual(numbers, [...new Set(numbers)])
  const titled = decisions.filter((file, index) => read(file).startsWith(`# ${Number(numbers[index])}. `))
  assert.deepEqual(titled, decisions)
})

/** Returns the comment lines of a file, without comments behind code. */
function commentLines(file: string): { readonly where: string; readonly text: string }[] {
  return read(file)
    .split('\n')
    .map((text, index) => ({ where: `${file}:${index + 1}`, text }))
    .filter(({ text }) => /^\s*(\/\/|\/\*\*|\* )/.test(text))
}

const commented = files.filter((file) => /^(src|test|tools|bench)\/.*\.(ts|mjs)$/.test(file) && !file.includes('.generated.'))

test('every index.ts begins with a package comment', () => {
  const bare = files.filter((file) => /^src\/.*\/index\.ts$/.test(file) && existsSync(join(root, file)) && !/^\/[/*]/.test(read(file)))
  assert.deepEqual(bare, [])
})

test('comments have at most 100 columns', () => {
  const long = commented
    .flatMap(commentLines)
    // A directive of the linter has one line, and the columns of a table cannot be folded.
    .filter(({ text }) => text.length > 100 && !/(ox|es)lint-|^\s*\* \|/.test(text))
  assert.deepEqual(
    long.map(({ where }) => where),
    [],
  )
})

test('comments name objects instead of persons, and do not repeat what a function is', () => {
  const indirect = commented
    .filter((file) => file !== 'tools/habits.test.ts')
    .flatMap(commentLines)
    .filter(({ text }) => /\b([Ww]hoever|[Nn]obody|[Ss]omebody)\b(?!`)|^\s*(\/\/|\/\*\*|\*) Makes the \w+\.( \*\/)?$/.test(text))
  assert.deepEqual(
    indirect.map(({ where }) => where),
    [],
  )
})

/**
 * Exported declarations without a doc comment straight above. Re-exports and overloads carry the
 * original's.
 */
function undocumented(file: string): string[] {
  const lines = read(file).split('\n')
  return lines.filter(
    (line, index) =>
      /^export (async )?(function|class|interface|type(?! \{)|const) /.test(line) && !(lines[index - 1] ?? '').trimEnd().endsWith('*/'),
  )
}

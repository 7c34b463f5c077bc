import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isAsShown, readPage } from './guide-page.ts'

test('readPage() finds named manifests, and commands with their output', () => {
  const page = [
    '# Title',
    '```yaml',
    '# a.yaml',
    'a: 1',
    '```',
    '```yaml',
    'b: 2',
    '```',
    '```console',
    '$ one',
    'x',
    'y',
    '$ two',
    '```',
  ].join('\n')
  assert.deepEqual(readPage(page), [
    { kind: 'file', name: 'a.yaml', content: '# a.yaml\na: 1\n' },
    { kind: 'command', command: 'one', output: ['x', 'y'], line: 10 },
    { kind: 'command', command: 'two', output: [], line: 13 },
  ])
})

test('readPage() leaves out the blocks of the other place', () => {
  const page = ['<!-- only: cluster -->', '```console', '$ far', '```', '<!-- only: machine -->', '```console', '$ near', '```'].join('\n')
  const commands = (place: 'machine' | 'cluster'): string[] =>
    readPage(page, place).flatMap((step) => (step.kind === 'command' ? [step.command] : []))
  assert.deepEqual([commands('machine'), commands('cluster')], [['near'], ['far']])
})

suite('isAsShown()', () => {
  const rows: readonly (readonly [string, readonly string[], string, boolean])[] = [
    ['the same', ['a', 'b'], 'a\nb\n', true],
    ['columns of another width', ['a b'], 'a    b   \n', true],
    ['lines that are indented', ['a', '  b'], 'a\n  b\n', true],
    ['a line more', ['a'], 'a\nb\n', false],
    ['a line less', ['a', 'b'], 'a\n', false],
    ['any text in a line', ['a … c'], 'a b c\n', true],
    ['no line is any text', ['a … c'], 'a\nc\n', false],
    ['any lines', ['a', '…', 'd'], 'a\nb\nc\nd\n', true],
    ['any lines may be none', ['a', '…', 'd'], 'a\nd\n', true],
    ['signs that mean something elsewhere', ['a[0].b (1+1) $x'], 'a[0].b (1+1) $x\n', true],
    ['nothing', [], '', true],
  ]
  for (const [name, shown, printed, expected] of rows) test(name, () => assert.equal(isAsShown(shown, printed), expected))
})

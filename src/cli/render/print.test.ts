import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parse } from 'yaml'
import { formatAge } from './age.ts'
import { testContext } from '../cli-context.fixture.ts'
import { print, type OutputFormat } from './print.ts'
import { progressOn } from './progress.ts'

const printable = {
  kind: 'Plan',
  document: { summary: { live: 1 } },
  names: ['a/b'],
  text: (isWide: boolean) => (isWide ? 'wide' : 'text'),
}

function printedAs(format: OutputFormat): string {
  const { context, printed } = testContext()
  print(context, format, printable)
  return printed.stdout
}

suite('print()', () => {
  test('prints a document with apiVersion and kind for scripts', () => {
    const document = { apiVersion: 'cli.steadyvm.io/v1', kind: 'Plan', summary: { live: 1 } }
    assert.deepEqual(JSON.parse(printedAs('json')), document)
    assert.deepEqual(parse(printedAs('yaml')), document)
  })
  test('prints names, text and wide text', () => {
    assert.deepEqual([printedAs('name'), printedAs('text'), printedAs('wide')], ['a/b\n', 'text', 'wide'])
  })
})

suite('formatAge()', () => {
  const now = Date.parse('2026-01-10T00:00:00Z')
  const rows = [
    ['2026-01-10T00:00:00Z', '0s'],
    ['2026-01-09T23:58:30Z', '90s'],
    ['2026-01-09T23:58:00Z', '2m'],
    ['2026-01-09T00:00:00Z', '24h'],
    ['2026-01-01T00:00:00Z', '9d'],
    ['2026-01-11T00:00:00Z', '0s'],
  ] as const
  for (const [timestamp, age] of rows) test(`formats ${timestamp} as ${age}`, () => assert.equal(formatAge(timestamp, now), age))
})

suite('progressOn()', () => {
  test('prints nothing for 1 s, then writes to standard error and clears its line', () => {
    const test = testContext({ isTTY: true })
    {
      using progress = progressOn(test.context)
      progress.show('one')
      assert.equal(test.printed.stderr, '')
      test.nowMs = 1_500
      progress.show('two')
      assert.ok(test.printed.stderr.endsWith('two'))
    }
    assert.ok(test.printed.stderr.endsWith('\u001B[K'))
    assert.equal(test.printed.stdout, '')
  })
  test('prints nothing to files and pipes', () => {
    const test = testContext()
    using progress = progressOn(test.context)
    test.nowMs = 5_000
    progress.show('two')
    assert.equal(test.printed.stderr, '')
  })
})

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { readDurations, root, testFiles } from './jobs.ts'

/**
 * Seconds that tests of the default tier may take: three jobs at a time on 2 cores for 12 of the 15
 * minutes, which leaves three for set-up, static checks and slower machines.
 */
const budgetSeconds = 3 * 12 * 60
/** An end-to-end file that takes longer belongs to the long tier, or has a reason. */
const mostSeconds = 45

suite('docs/testing.md', () => {
  const text = readFileSync(join(root, 'docs', 'testing.md'), 'utf8')
  const rows = [...text.matchAll(/^\| (?<property>[^|]+) \| `(?<file>[^`]+)` \| (?<title>[^|]+) \|$/gm)]
  const { unit, endToEnd } = testFiles('default')
  const files = new Set([...unit, ...endToEnd])
  assert.ok(rows.length > 20, `only ${rows.length} rows`)
  for (const { groups } of rows) {
    const { property = '', file = '', title = '' } = groups ?? {}
    test(`has a proof of the default tier: ${property}`, () => {
      assert.ok(files.has(file), `${file} is no test file of the default tier`)
      const source = readFileSync(join(root, file), 'utf8')
      const line = source.split('\n').find((each) => each.includes(title))
      assert.ok(line !== undefined, `no test in ${file} is called "${title}": update docs/testing.md when you rename it`)
      assert.ok(!line.includes('longTest('), `"${title}" runs in the long tier only`)
    })
  }
})

suite('recorded durations', () => {
  const durations = readDurations()
  test('are of files that exist', () => {
    const gone = Object.keys(durations).filter((file) => !existsSync(join(root, file)))
    assert.deepEqual(gone, [], 'run node tools/test.ts --record, or edit tools/testing/durations.json')
  })

  test('of the default tier fit into the budget', () => {
    const { unit, endToEnd } = testFiles('default')
    const sum = [...unit, ...endToEnd].reduce((total, file) => total + (durations[file] ?? 0), 0)
    assert.ok(sum <= budgetSeconds, `${sum} s of ${budgetSeconds} s in three lanes: move repetitions to the long tier, see CONTRIBUTING.md`)
  })

  test('of end-to-end files are short, or their head comment has a reason', () => {
    const slow = testFiles('default').endToEnd.filter((file) => (durations[file] ?? 0) > mostSeconds)
    const unexplained = slow.filter((file) => !/^\/\/ Takes longer than 45 s: /m.test(readFileSync(join(root, file), 'utf8')))
    assert.deepEqual(unexplained, [])
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ImportFailure } from '../failure.ts'
import { parseTask } from './parse-task.ts'

const task = {
  source: { kind: 'http', url: 'https://example.com/disk', headers: [], insecureSkipVerify: false },
  contentType: 'kubevirt',
  target: '/volume/disk.img',
  volumeBytes: 1024,
  overhead: 0.055,
  preallocation: false,
}

suite('parseTask()', () => {
  test('returns the task', () => assert.deepEqual(parseTask(JSON.stringify(task)), task))

  const wrong: readonly (readonly [field: string, value: unknown])[] = [
    ['source', undefined],
    ['source.kind', { kind: 'toString' }],
    ['source.url', { ...task.source, url: 7 }],
    ['source.checksum', { ...task.source, checksum: '' }],
    ['source.headers', { ...task.source, headers: [1] }],
    ['source.insecureSkipVerify', { ...task.source, insecureSkipVerify: 'no' }],
    ['source.path', { kind: 'clone', path: 'relative' }],
    ['contentType', 'disk'],
    ['target', '../disk.img'],
    ['volumeBytes', 0],
    ['overhead', 1],
    ['preallocation', undefined],
  ]
  for (const [field, value] of wrong)
    test(`refuses a wrong ${field}`, () => {
      const [name = ''] = field.split('.')
      assert.throws(
        () => parseTask(JSON.stringify({ ...task, [name]: value })),
        (error) => error instanceof ImportFailure && error.fatal && error.message.includes(`"${field}"`),
      )
    })

  test('refuses what is no task', () => {
    for (const text of [undefined, '', 'no JSON', '[]', 'null']) assert.throws(() => parseTask(text), ImportFailure)
  })
})

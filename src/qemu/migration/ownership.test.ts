import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ownership, type Answer, type Ownership } from './ownership.ts'
import type { MigrationStatus } from './report.ts'

const statuses: readonly MigrationStatus[] = [
  'none',
  'setup',
  'active',
  'pre-switchover',
  'device',
  'postcopy-active',
  'postcopy-paused',
  'postcopy-recover-setup',
  'postcopy-recover',
  'completed',
  'cancelling',
  'cancelled',
  'failed',
]
const says = (status: MigrationStatus, runState: string): Answer => ({ kind: 'answers', status, runState })
const gone: Answer = { kind: 'gone' }
const silent: Answer = { kind: 'silent' }
const arrived = says('completed', 'paused')
const receiving = says('active', 'inmigrate')

const rows: readonly (readonly [string, Answer, Answer, boolean, string])[] = [
  ['while memory flows', says('active', 'running'), receiving, false, 'source'],
  ['while the source stands still for the end', says('device', 'finish-migrate'), receiving, false, 'nobody yet'],
  ['while the source waits to switch', says('pre-switchover', 'finish-migrate'), receiving, false, 'nobody yet'],
  ['when both report completion', says('completed', 'postmigrate'), arrived, false, 'target, resume'],
  ['when the target runs', says('completed', 'postmigrate'), says('completed', 'running'), true, 'target'],
  ['when the target does not answer at the end', says('completed', 'postmigrate'), silent, false, 'nobody yet'],
  ['when the target ends before it was given the guest', says('completed', 'postmigrate'), gone, false, 'source, resume'],
  ['when the target ends after it was given the guest', says('completed', 'postmigrate'), gone, true, 'lost'],
  ['when the source reports a failure and runs', says('failed', 'running'), arrived, false, 'source, end target'],
  ['when the source reports a failure and is paused', says('failed', 'postmigrate'), gone, false, 'source, resume'],
  ['when it was cancelled', says('cancelled', 'running'), gone, false, 'source'],
  ['when the source ends midway', gone, receiving, false, 'lost'],
  ['when the source ends after the target has everything', gone, arrived, false, 'target, resume'],
  ['when the source does not answer', silent, arrived, false, 'nobody yet'],
  ['when the source does not answer after its release was recorded', silent, arrived, true, 'target, resume'],
  ['after the switch to post-copy', says('postcopy-active', 'finish-migrate'), says('postcopy-active', 'paused'), false, 'target, resume'],
  ['when the target ends in post-copy', says('postcopy-active', 'finish-migrate'), gone, true, 'lost'],
  ['when the source has taken it back', says('completed', 'running'), arrived, false, 'source, end target'],
  ['when the guest was migrated to the source before and runs', says('completed', 'running'), receiving, false, 'source'],
  ['when the guest came to the source by a migration, and stands still', says('completed', 'paused'), receiving, false, 'source'],
  ['when both report a running guest', says('failed', 'running'), says('completed', 'running'), true, 'nobody yet'],
]

function words(answer: Ownership): string {
  const resume = 'resume' in answer && answer.resume ? ', resume' : ''
  return `${answer.owner}${resume}${answer.owner === 'source' && answer.endTarget ? ', end target' : ''}`
}

suite('ownership()', () => {
  for (const [name, source, target, granted, expected] of rows) {
    test(`returns ${expected} ${name}`, () => assert.equal(words(ownership(source, target, granted)), expected))
  }

  const sides: readonly Answer[] = [
    gone,
    silent,
    ...statuses.flatMap((status) => ['running', 'paused', 'inmigrate', 'postmigrate'].map((state) => says(status, state))),
  ]
  const all = sides.flatMap((source) => sides.flatMap((target) => [true, false].map((granted) => ({ source, target, granted }))))

  test('never lets a side run the guest while the other side may run it', () => {
    for (const { source, target, granted } of all) {
      const answer = ownership(source, target, granted)
      const text = JSON.stringify({ source, target, granted, answer })
      if (answer.owner === 'target' && answer.resume) {
        assert.ok(source.kind !== 'answers' || source.runState !== 'running', text)
        assert.ok(source.kind !== 'silent' || granted, text)
      }
      if (answer.owner === 'source' && answer.resume) {
        assert.ok(target.kind !== 'answers' || target.runState !== 'running', text)
        assert.ok(source.kind === 'answers', text)
        // A guest that ran on the target has written to its disks since.
        if (source.status === 'completed') assert.ok(!granted && target.kind === 'gone', text)
      }
    }
  })
})

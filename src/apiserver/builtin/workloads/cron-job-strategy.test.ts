import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { CronJob, CronJobSpec } from '#api/batch/v1/cron-job.ts'
import { cronJobStrategy } from './cron-job-strategy.ts'

const template = { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'c', image: 'i' }] } }

function faults(spec: Partial<CronJobSpec>, name = 'a'): string[] {
  const object: CronJob = { metadata: { name }, spec: { schedule: '* * * * *', jobTemplate: { spec: { template } }, ...spec } }
  return (cronJobStrategy.validate?.(object, undefined) ?? []).map(({ field, message }) => `${field}: ${message}`)
}

suite('cronJobStrategy', () => {
  for (const timeZone of [undefined, 'UTC', 'Europe/Berlin']) {
    test(`accepts the time zone ${timeZone}`, () => assert.deepEqual(faults(timeZone === undefined ? {} : { timeZone }), []))
  }
  const cases: readonly [name: string, found: string[], want: RegExp][] = [
    ['an empty time zone', faults({ timeZone: '' }), /^spec\.timeZone: .*timeZone must be nil or non-empty string$/],
    ['the local time zone', faults({ timeZone: 'Local' }), /^spec\.timeZone: .*must be an explicit time zone as defined in/],
    ['an unknown time zone', faults({ timeZone: 'A/B' }), /^spec\.timeZone: Invalid value: "A\/B": unknown time zone A\/B$/],
    ['a zone in the schedule', faults({ schedule: 'TZ=UTC * * * * *' }), /^spec\.schedule: .*use timeZone field instead$/],
    ['a long name', faults({}, 'a'.repeat(53)), /^metadata\.name: .*must be no more than 52 characters$/],
    ['a negative limit', faults({ failedJobsHistoryLimit: -1 }), /^spec\.failedJobsHistoryLimit: .*greater than or equal to 0$/],
  ]
  for (const [name, found, want] of cases) {
    test(`refuses ${name}`, () => {
      assert.equal(found.length, 1, found.join())
      assert.match(found[0] ?? '', want)
    })
  }
})

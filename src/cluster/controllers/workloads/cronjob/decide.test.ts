import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { CronJob, CronJobSpec, CronJobStatus } from '#api/batch/v1/cron-job.ts'
import type { Job } from '#api/batch/v1/job.ts'
import { jobAt, timeIn } from './cronjob-job.ts'
import { type CronJobDecision, decideCronJob } from './decide.ts'
import { dueTime, untilNext } from './due-time.ts'
import { parseSchedule } from '#runtime/clock/schedule.ts'

const at = (text: string): number => Date.parse(`2026-03-10T${text}Z`)
const spec: CronJobSpec = {
  schedule: '*/10 * * * *',
  timeZone: 'UTC',
  concurrencyPolicy: 'Allow',
  jobTemplate: { metadata: { labels: { a: 'b' } }, spec: { template: { spec: { containers: [] } } } },
}

function cronJob(more: Partial<CronJobSpec> = {}, status: CronJobStatus = {}): CronJob {
  return {
    metadata: { namespace: 'n', name: 'c', uid: 'u', creationTimestamp: '2026-03-10T10:05:00Z' },
    spec: { ...spec, ...more },
    status,
  }
}

function job(name: string, end?: 'Complete' | 'Failed', time = '2026-03-10T10:00:00Z'): Job {
  const conditions = end === undefined ? [] : [{ type: end, status: 'True' }]
  const completionTime = end === 'Complete' ? { completionTime: time } : {}
  return {
    metadata: { namespace: 'n', name, uid: `uid-${name}` },
    spec: spec.jobTemplate.spec,
    status: { startTime: time, conditions, ...completionTime },
  }
}

const activeIn = (...names: string[]): CronJobStatus => ({ active: names.map((name) => ({ name, namespace: 'n', uid: `uid-${name}` })) })

interface Expected {
  readonly created?: string
  readonly removed?: readonly string[]
  readonly events?: readonly string[]
  readonly active?: readonly string[]
  readonly recheckSeconds?: number | undefined
}

function outcome({ create, remove, events, status, recheckAfterMs }: CronJobDecision): Expected {
  return {
    ...(create === undefined ? {} : { created: create.metadata.name ?? '' }),
    removed: remove.map(({ metadata }) => metadata.name ?? ''),
    events: events.map(({ reason }) => reason),
    active: (status.active ?? []).map(({ name }) => name ?? ''),
    recheckSeconds: recheckAfterMs === undefined ? undefined : Math.floor(recheckAfterMs / 1000),
  }
}

const name1010 = `c-${at('10:10:00') / 60_000}`
const name1020 = `c-${at('10:20:00') / 60_000}`

suite('decideCronJob()', () => {
  const cases: readonly [name: string, cronJob: CronJob, jobs: readonly Job[], now: string, want: Expected][] = [
    ['waits for the first time', cronJob(), [], '10:09:59', { recheckSeconds: 1 }],
    ['creates a Job at its time', cronJob(), [], '10:10:00', { created: name1010, recheckSeconds: 600 }],
    ['creates a Job for the last of several missed times', cronJob(), [], '10:25:00', { created: name1020, recheckSeconds: 300 }],
    ['creates none twice', cronJob({}, { lastScheduleTime: '2026-03-10T10:10:00Z' }), [], '10:11:00', { recheckSeconds: 540 }],
    ['takes up a Job that was created before a crash', cronJob(), [job(name1010)], '10:11:00', { active: [name1010], recheckSeconds: 540 }],
    ['does not take up a finished one', cronJob(), [job(name1010, 'Complete')], '10:11:00', { recheckSeconds: 540 }],
    ['does nothing when suspended', cronJob({ suspend: true }), [], '10:11:00', {}],
    ['skips a time beyond the deadline', cronJob({ startingDeadlineSeconds: 30 }), [], '10:10:45', { recheckSeconds: 555 }],
    ['starts before the deadline', cronJob({ startingDeadlineSeconds: 30 }), [], '10:10:29', { created: name1010, recheckSeconds: 571 }],
    [
      'tells of more than 100 missed times',
      cronJob({ schedule: '* * * * *' }),
      [],
      '11:46:00',
      { created: `c-${at('11:46:00') / 60_000}`, events: ['TooManyMissedTimes'], recheckSeconds: 60 },
    ],
    [
      'does not tell of 100',
      cronJob({ schedule: '* * * * *' }),
      [],
      '11:45:59',
      { created: `c-${at('11:45:00') / 60_000}`, recheckSeconds: 1 },
    ],
    [
      'starts beside a running Job',
      cronJob({}, activeIn('old')),
      [job('old')],
      '10:10:00',
      { created: name1010, active: ['old'], recheckSeconds: 600 },
    ],
    [
      'waits for a running Job',
      cronJob({ concurrencyPolicy: 'Forbid' }, activeIn('old')),
      [job('old')],
      '10:10:00',
      { active: ['old'], events: ['JobAlreadyActive'], recheckSeconds: 600 },
    ],
    [
      'starts after a finished Job',
      cronJob({ concurrencyPolicy: 'Forbid' }, activeIn('old')),
      [job('old', 'Failed')],
      '10:10:00',
      { created: name1010, events: ['SawCompletedJob'], recheckSeconds: 600 },
    ],
    [
      'replaces a running Job',
      cronJob({ concurrencyPolicy: 'Replace' }, activeIn('old')),
      [job('old')],
      '10:10:00',
      { created: name1010, removed: ['old'], recheckSeconds: 600 },
    ],
    ['forgets a Job that has gone', cronJob({}, activeIn('old')), [], '10:06:00', { events: ['MissingJob'], recheckSeconds: 240 }],
    [
      'keeps as many finished Jobs as wanted',
      cronJob({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 }),
      [job('a', 'Complete', '2026-03-10T09:00:00Z'), job('b', 'Complete', '2026-03-10T10:00:00Z'), job('d', 'Failed'), job('e')],
      '10:06:00',
      { removed: ['a', 'd'], recheckSeconds: 240 },
    ],
    ['tells of an unknown time zone', cronJob({ timeZone: 'Nowhere/X' }), [], '10:10:00', { events: ['UnknownTimeZone'] }],
    ['tells of a wrong schedule', cronJob({ schedule: 'never' }), [], '10:10:00', { events: ['UnparseableSchedule'] }],
    ['rests when no time will come', cronJob({ schedule: '59 23 31 2 *' }), [], '10:10:00', {}],
  ]
  for (const [name, of, jobs, now, want] of cases) {
    test(name, () => {
      const quiet: Expected = { removed: [], events: [], active: [], recheckSeconds: undefined }
      assert.deepEqual(outcome(decideCronJob({ cronJob: of, jobs }, at(now))), { ...quiet, ...want })
    })
  }

  test('leaves the Jobs of a deleted one to the garbage collector', () => {
    const of = cronJob()
    const deleted = { ...of, metadata: { ...of.metadata, deletionTimestamp: 'now' } }
    assert.deepEqual(outcome(decideCronJob({ cronJob: deleted, jobs: [] }, at('10:10:00'))).created, undefined)
  })

  test('reports the last success', () => {
    const jobs = [job('a', 'Complete', '2026-03-10T10:01:00Z'), job('b', 'Failed', '2026-03-10T10:03:00Z')]
    const { status } = decideCronJob({ cronJob: cronJob(), jobs }, at('10:06:00'))
    assert.equal(status.lastSuccessfulTime, '2026-03-10T10:01:00Z')
  })
})

suite('dueTime()', () => {
  test('is the last time of a calendar of any intervals', () => {
    const of = { ...cronJob({ schedule: '0 0 1 1,2 *' }), metadata: { creationTimestamp: '2025-12-01T00:00:00Z' } }
    const { dueMs } = dueTime(of, parseSchedule(of.spec.schedule, 'UTC'), Date.parse('2026-12-15T00:00:00Z'))
    assert.equal(dueMs, Date.parse('2026-02-01T00:00:00Z'))
  })

  test('follows the time before for @every', () => {
    const schedule = parseSchedule('@every 1h30m')
    const of = cronJob({ schedule: '@every 1h30m' }, { lastScheduleTime: '2026-03-10T10:00:07Z' })
    assert.equal(dueTime(of, schedule, at('14:30:06')).dueMs, at('13:00:07'))
    assert.equal(dueTime(of, schedule, at('14:30:07')).dueMs, at('14:30:07'))
    assert.equal(untilNext(of, schedule, at('14:30:07')), 5_400_100)
  })

  test('never is in the future, before the last one, or followed by another one up to now', () => {
    const schedules = ['* * * * *', '*/7 3-5 * * *', '0 0 13 * fri', '30 6-16/4 * * 1-5', '@monthly', '@every 17m']
    fc.assert(
      fc.property(fc.constantFrom(...schedules), fc.integer({ min: 0, max: 10_000_000 }), (text, seconds) => {
        const schedule = parseSchedule(text, 'UTC')
        const of = cronJob({ schedule: text }, { lastScheduleTime: '2026-03-10T10:00:00Z' })
        const [lastMs, nowMs] = [at('10:00:00'), at('10:00:00') + seconds * 1000]
        const { dueMs } = dueTime(of, schedule, nowMs)
        if (dueMs === undefined) return (schedule.next(lastMs) ?? Infinity) > nowMs
        return dueMs > lastMs && dueMs <= nowMs && (schedule.next(dueMs) ?? Infinity) > nowMs
      }),
      { numRuns: 200 },
    )
  })
})

suite('parseSchedule()', () => {
  const cases: readonly [schedule: string, zone: string, after: string, next: string][] = [
    ['5/15 * * * *', 'UTC', '2026-01-01T00:00:00Z', '2026-01-01T00:05:00Z'],
    ['0 0 ? * 6', 'UTC', '2026-01-01T00:00:00Z', '2026-01-03T00:00:00Z'],
    ['0 0 13 * fri', 'UTC', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
    ['*/70,+3,,3 * * * *', 'UTC', '2026-01-01T00:00:00Z', '2026-01-01T00:03:00Z'],
    ['0 9 * * *', 'Asia/Kolkata', '2026-01-01T00:00:00Z', '2026-01-01T03:30:00Z'],
    ['@weekly', 'UTC', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z'],
    ['@midnight', 'Europe/Berlin', '2026-07-01T00:00:00Z', '2026-07-01T22:00:00Z'],
  ]
  for (const [schedule, zone, after, next] of cases) {
    test(`${schedule} in ${zone}`, () => assert.equal(parseSchedule(schedule, zone).next(Date.parse(after)), Date.parse(next)))
  }
})

test('jobAt() copies the template and notes the time in the zone of the CronJob', () => {
  const made = jobAt(cronJob({ timeZone: 'Asia/Kolkata' }), at('10:10:00'))
  assert.deepEqual(made.metadata.labels, { a: 'b' })
  assert.deepEqual(made.metadata.annotations, { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-03-10T15:40:00+05:30' })
  assert.deepEqual([made.metadata.name, made.metadata.ownerReferences?.[0]?.uid], [name1010, 'u'])
  assert.equal(timeIn('UTC', at('10:10:00')), '2026-03-10T10:10:00Z')
  assert.equal(timeIn('America/New_York', at('10:10:00')), '2026-03-10T06:10:00-04:00')
})

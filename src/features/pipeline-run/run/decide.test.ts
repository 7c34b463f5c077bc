import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { Pod } from '#api/core/v1/pod.ts'
import { planOf, runOf, taskManifest } from '../pipeline.fixture.ts'
import { collectorName } from '../pod/names.ts'
import { taskPod } from '../pod/task-pod.ts'
import { dependenciesOf } from '../graph/dependencies.ts'
import { decide } from './decide.ts'
import { observe } from './observe.ts'
import { attemptsOf, newProgress, type Outcome, type Progress, withAttempt } from './progress.ts'
import type { Run } from './run.ts'

const work = { taskRef: { name: 'work' } }

/** How the pods of a simulated cluster end, and when the runner is killed. */
interface Script {
  /** True: this attempt of the task succeeds. */
  readonly succeeds: (task: string, attempt: number) => boolean
  readonly results?: (task: string) => Readonly<Record<string, string>>
  /** True: the runner is killed after it has created pods, before it stores that. */
  readonly forgets?: () => boolean
  /** Step at which the run is cancelled. */
  readonly cancelAt?: number
}

interface Simulated {
  readonly outcome: Outcome
  readonly progress: Progress
  /** Pods in the order of their creation, and which had ended by then. */
  readonly created: readonly { readonly task: string; readonly attempt: number; readonly ended: ReadonlySet<string>; readonly pod: Pod }[]
}

/** Carries a run out on pods that are objects only. */
function simulate(run: Run, { succeeds, results = () => ({ r: 'value' }), forgets = () => false, cancelAt }: Script): Simulated {
  let progress = newProgress(0)
  const pods = new Map<string, Pod>()
  const created: Simulated['created'][number][] = []
  const ended = new Set<string>()
  for (let now = 1; now < 10_000; now++) {
    if (now === cancelAt) progress = { ...progress, cancelledAt: now }
    const observed = observe(run, progress, [...pods.values()], now)
    const decision = decide(run, observed, now)
    let next = observed
    for (const { task: name, attempt } of decision.start) {
      const task = run.plan.tasks.find((one) => one.name === name)
      assert.ok(task !== undefined)
      const pod = taskPod({ run, progress: observed, states: decision.states, task, attempt, now })
      const podName = pod.metadata.name ?? ''
      if (!pods.has(podName)) created.push({ task: name, attempt, ended: new Set(ended), pod })
      pods.set(podName, pods.get(podName) ?? pod)
      next = withAttempt(next, name, attempt, { pod: podName, startedAt: now, state: 'Running' })
    }
    if (decision.start.length > 0 && forgets()) continue
    for (const { task, index, reason, pod } of decision.stop) {
      const attempt = attemptsOf(next, task)[index]
      assert.ok(attempt !== undefined)
      next = withAttempt(next, task, index, { ...attempt, stop: { reason, at: now } })
      pods.delete(pod)
    }
    progress = { ...next, ...(decision.beginsFinally ? { finallyAt: now } : {}) }
    if (decision.outcome !== undefined) return { outcome: decision.outcome, progress, created }
    // One pod ends at a time, or none while the run is being cancelled.
    const running = [...pods].find(([, pod]) => pod.status === undefined)
    if (running === undefined || now + 1 === cancelAt) continue
    const [podName, pod] = running
    const found = created.find((one) => one.pod.metadata.name === podName)
    const isGood = succeeds(found?.task ?? '', found?.attempt ?? 0)
    pods.set(podName, { ...pod, status: endedStatus(isGood, results(found?.task ?? '')) })
    if (isGood) ended.add(found?.task ?? '')
  }
  return assert.fail('the run does not end')
}

function endedStatus(isGood: boolean, results: Readonly<Record<string, string>>): NonNullable<Pod['status']> {
  const terminated = isGood ? { exitCode: 0, message: JSON.stringify(results) } : { exitCode: 3, message: 'broken' }
  const name = isGood ? collectorName : 'step-work'
  return {
    phase: isGood ? 'Succeeded' : 'Failed',
    containerStatuses: [{ name, ready: false, restartCount: 0, image: '', imageID: '', state: { terminated } }],
  }
}

const order = ({ created }: Simulated): readonly string[] => created.map(({ task }) => task)
const good: Script = { succeeds: () => true }

suite('a run', () => {
  test('follows runAfter and results, and ends with finally', () => {
    const spec = {
      tasks: [
        { name: 'c', taskRef: { name: 'takes' }, params: [{ name: 'x', value: '$(tasks.b.results.r)' }] },
        { name: 'b', ...work, runAfter: ['a'] },
        { name: 'a', ...work },
      ],
      finally: [{ name: 'z', ...work }],
      results: [{ name: 'out', value: '<$(tasks.b.results.r)>' }],
    }
    const takes = taskManifest('takes', { params: [{ name: 'x' }] })
    const done = simulate(runOf(planOf(spec, { tasks: [takes] })), good)
    assert.deepEqual(order(done), ['a', 'b', 'c', 'z'])
    assert.equal(done.outcome.status, 'Succeeded')
    assert.deepEqual(done.outcome.results, { out: '<value>' })
  })

  test('a failure stops further tasks, and finally sees it', () => {
    const isStatus = (status: string): object[] => [{ input: '$(tasks.status)', operator: 'in', values: [status] }]
    const spec = {
      tasks: [
        { name: 'a', ...work },
        { name: 'b', ...work, runAfter: ['a'] },
      ],
      finally: [
        { name: 'sad', ...work, when: isStatus('Failed') },
        { name: 'glad', ...work, when: isStatus('Succeeded') },
        { name: 'one', ...work, when: [{ input: '$(tasks.b.status)', operator: 'in', values: ['None'] }] },
      ],
    }
    const done = simulate(runOf(planOf(spec)), { succeeds: (task) => task !== 'a' })
    assert.deepEqual(order(done), ['a', 'sad', 'one'])
    assert.equal(done.outcome.status, 'Failed')
    assert.match(done.outcome.message, /task "a" has failed \(StepFailed\): container "step-work" ended with exit code 3: broken/)
  })

  test('a condition skips its task; those after it run, those that need its result do not', () => {
    const spec = {
      params: [
        { name: 'mode', default: 'off' },
        { name: 'modes', type: 'array', default: ['on', 'auto'] },
      ],
      tasks: [
        { name: 'guarded', ...work, when: [{ input: '$(params.mode)', operator: 'in', values: ['$(params.modes[*])'] }] },
        { name: 'after', ...work, runAfter: ['guarded'] },
        { name: 'needs', taskRef: { name: 'takes' }, params: [{ name: 'x', value: '$(tasks.guarded.results.r)' }] },
        { name: 'last', ...work, runAfter: ['needs'] },
        { name: 'other', ...work, when: [{ input: '$(params.mode)', operator: 'notin', values: ['on'] }] },
      ],
      finally: [{ name: 'z', taskRef: { name: 'takes' }, params: [{ name: 'x', value: '$(tasks.guarded.results.r)' }] }],
      results: [{ name: 'out', value: '$(tasks.guarded.results.r)' }],
    }
    const tasks = [taskManifest('takes', { params: [{ name: 'x' }] })]
    const skipped = simulate(runOf(planOf(spec, { tasks })), good)
    assert.deepEqual(order(skipped), ['after', 'other'])
    assert.equal(skipped.outcome.status, 'Completed')
    assert.deepEqual(skipped.outcome.results, {})
    const whole = simulate(runOf(planOf(spec, { tasks, params: { mode: 'on' } })), good)
    assert.deepEqual(order(whole), ['guarded', 'after', 'needs', 'last', 'z'])
  })

  test('a task that succeeds without a result that is needed fails the run', () => {
    const spec = {
      tasks: [
        { name: 'a', ...work },
        { name: 'b', taskRef: { name: 'takes' }, params: [{ name: 'x', value: '$(tasks.a.results.r)' }] },
      ],
      finally: [{ name: 'z', ...work }],
    }
    const tasks = [taskManifest('takes', { params: [{ name: 'x' }] })]
    const done = simulate(runOf(planOf(spec, { tasks })), { ...good, results: () => ({}) })
    assert.deepEqual([order(done), done.outcome.status], [['a', 'z'], 'Failed'])
    assert.match(done.outcome.message, /ResultMissing/)
  })

  test('a task is tried again as often as it says', () => {
    const plan = planOf({ tasks: [{ name: 'a', ...work, retries: 2 }] })
    const third = simulate(runOf(plan), { succeeds: (_, attempt) => attempt === 2 })
    assert.deepEqual([third.created.length, third.outcome.status], [3, 'Succeeded'])
    const never = simulate(runOf(plan), { succeeds: () => false })
    assert.deepEqual([never.created.length, never.outcome.status], [3, 'Failed'])
  })

  test('Ctrl-C ends what runs, and finally runs', () => {
    const spec = {
      tasks: [
        { name: 'a', ...work, retries: 5 },
        { name: 'b', ...work, runAfter: ['a'] },
      ],
      finally: [{ name: 'z', ...work }],
    }
    const done = simulate(runOf(planOf(spec)), { ...good, cancelAt: 2 })
    assert.deepEqual([order(done), done.outcome.status], [['a', 'z'], 'Cancelled'])
  })

  test('time limits end attempts, and finally still runs', () => {
    const ends = (timeouts: object, more: object): readonly unknown[] => {
      const run = runOf(planOf({ tasks: [{ name: 'a', ...work, ...more }], finally: [{ name: 'z', ...work }] }, { timeouts }))
      const begun: Progress = { attempts: { a: [{ pod: 'x', startedAt: 0, state: 'Running' }] }, startedAt: 0 }
      const late = decide(run, begun, 10_000)
      const stopped = withAttempt(begun, 'a', 0, { pod: 'x', startedAt: 0, state: 'Failed', reason: 'TimedOut' })
      return [late.stop.map(({ reason }) => reason), decide(run, stopped, 10_001).start]
    }
    const wanted = [['TimedOut'], [{ task: 'z', attempt: 0 }]]
    assert.deepEqual(ends({}, { timeout: '10s' }), wanted)
    assert.deepEqual(ends({ pipeline: 10_000 }, { retries: 3 }), wanted)
    assert.deepEqual(ends({ pipeline: 20_000, tasks: 10_000 }, {}), wanted)
    assert.deepEqual(ends({ pipeline: 20_000, finally: 10_000 }, {}), wanted)
  })
})

interface RandomTask {
  readonly after: readonly number[]
  readonly needs: readonly number[]
  readonly retries: number
  readonly applies: boolean
}

const randomTasks = fc.array(
  fc.record({
    after: fc.array(fc.nat(7), { maxLength: 2 }),
    needs: fc.array(fc.nat(7), { maxLength: 1 }),
    retries: fc.nat(2),
    applies: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
)

/** A pipeline whose tasks depend on earlier ones only, in a shuffled order. */
function pipelineOf(tasks: readonly RandomTask[], finals: number): object {
  const list = tasks.map(({ after, needs, retries, applies }, index) => {
    const earlier = (numbers: readonly number[]): readonly number[] => [...new Set(numbers)].filter((number) => number < index)
    return {
      name: `t${index}`,
      taskRef: { name: 'takes' },
      retries,
      runAfter: earlier(after).map((number) => `t${number}`),
      params: [
        {
          name: 'x',
          value: earlier(needs)
            .map((number) => `$(tasks.t${number}.results.r)`)
            .join(' '),
        },
      ],
      when: [{ input: String(applies), operator: 'in', values: ['true'] }],
    }
  })
  const last = Array.from({ length: finals }, (_, index) => ({ name: `f${index}`, ...work, retries: 1 }))
  return { tasks: list.toReversed(), finally: last }
}

test('on random graphs with failures, killed runners and Ctrl-C: order, retries and finally hold', () => {
  const takes = taskManifest('takes', { params: [{ name: 'x' }], results: ['r'] })
  fc.assert(
    fc.property(
      randomTasks,
      fc.nat(2),
      fc.infiniteStream(fc.integer({ min: 0, max: 9 })),
      fc.option(fc.integer({ min: 2, max: 20 }), { nil: undefined }),
      (tasks, finals, luck, cancelAt) => {
        const next = (): number => luck.next().value
        const run = runOf(planOf(pipelineOf(tasks, finals), { tasks: [takes] }))
        const fate = new Map<string, boolean>()
        const succeeds = (task: string, attempt: number): boolean => fate.getOrInsertComputed(`${task}/${attempt}`, () => next() < 7)
        const script = { succeeds, forgets: () => next() < 3, ...(cancelAt === undefined ? {} : { cancelAt }) }
        const done = simulate(run, script)
        for (const { name, isFinal, retries } of run.plan.tasks) {
          const own = done.created.filter(({ task }) => task === name)
          assert.deepEqual(
            own.map(({ attempt }) => attempt),
            own.map((_, index) => index),
            'attempts are counted, and none is made twice',
          )
          assert.ok(own.length <= retries + 1)
          // Each task of finally runs to a success, or fails as often as it may.
          if (isFinal) assert.ok(own.length >= 1 && (succeeds(name, own.length - 1) || own.length === retries + 1))
        }
        const firsts = run.plan.tasks.filter(({ isFinal }) => !isFinal)
        for (const { task: name, ended } of done.created) {
          const task = firsts.find((one) => one.name === name)
          for (const other of task === undefined ? [] : dependenciesOf(task)) {
            const wasSkipped = !done.created.some((one) => one.task === other)
            assert.ok(ended.has(other) || wasSkipped, `${name} began before ${other} had succeeded`)
          }
        }
        const lastOfTasks = done.created.findLastIndex(({ task }) => task.startsWith('t'))
        const firstOfFinally = done.created.findIndex(({ task }) => task.startsWith('f'))
        assert.ok(firstOfFinally < 0 || firstOfFinally > lastOfTasks, 'finally begins after all others')
        const hasFailed = [...fate].some(([key, isGood]) => {
          const [task = '', attempt = ''] = key.split('/')
          return !isGood && Number(attempt) === done.created.filter((one) => one.task === task).length - 1
        })
        if (cancelAt === undefined) assert.equal(done.outcome.status === 'Failed', hasFailed)
      },
    ),
    { numRuns: 300 },
  )
})

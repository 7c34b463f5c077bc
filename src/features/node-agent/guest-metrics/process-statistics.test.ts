import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { suite, test } from 'node:test'
import { parseProcess, parseThread, readProcessStatistics, readThreadIds, readThreadStatistics } from './process-statistics.ts'

/**
 * A line of `stat` with these ticks of user and system. The name of the command is a guest's
 * choice.
 */
const stat = (user: number, system: number): string => `42 (CPU 0) 9 9) S 1 42 42 0 -1 4194560 100 0 0 0 ${user} ${system} 0 0 20 0 3 0 500`

suite('statistics of processes', () => {
  test('parseProcess() counts ticks in seconds, and memory in bytes', () => {
    assert.deepEqual(parseProcess(stat(150, 25), 'Name:\tqemu\nVmRSS:\t    1024 kB\nThreads:\t3\n'), {
      userSeconds: 1.5,
      systemSeconds: 0.25,
      residentBytes: 1024 * 1024,
    })
    // A process that ends has no memory.
    assert.equal(parseProcess(stat(0, 0), 'Name:\tqemu\n').residentBytes, 0)
  })

  for (const [title, files, expected] of [
    [
      'a thread that may run on all of four processors',
      { schedstat: '5000000000 2500000000 7\n', status: 'Cpus_allowed_list:\t0-3\n' },
      { seconds: 3, delaySeconds: 2.5, processors: 4 },
    ],
    ['processors in several ranges', { status: 'Cpus_allowed_list:\t0-1,4,6-7\n' }, { seconds: 3, delaySeconds: 0, processors: 5 }],
    [
      'a kernel that counts waits for I/O',
      { status: 'Cpus_allowed_list:\t1\n', sched: 'se.sum_exec_runtime   :   3.0\niowait_sum      :          1500.250000\n' },
      { seconds: 3, delaySeconds: 0, processors: 1, ioWaitSeconds: 1.50025 },
    ],
    [
      'an older kernel that counts them',
      { status: 'Cpus_allowed_list:\t1\n', sched: 'se.statistics.iowait_sum                     :             2.000000\n' },
      { seconds: 3, delaySeconds: 0, processors: 1, ioWaitSeconds: 0.002 },
    ],
  ] as const)
    test(`parseThread() reads ${title}`, () => {
      assert.deepEqual(parseThread({ stat: stat(200, 100), ...files }), expected)
    })

  test('reads this process, and its main thread', () => {
    const own = readProcessStatistics(process.pid)
    assert.ok(own !== undefined && own.residentBytes > 1024 * 1024 && own.userSeconds > 0)
    assert.equal(readThreadIds(process.pid).get(process.pid), process.pid)
    const thread = readThreadStatistics(process.pid, process.pid)
    assert.ok(thread !== undefined && thread.seconds <= own.userSeconds + own.systemSeconds + 0.02)
    assert.equal(thread.processors, availableParallelism())
  })

  test('a process that has ended has no statistics', () => {
    const pid = Number(execFileSync('/bin/sh', ['-c', 'echo $$'], { encoding: 'utf8' }))
    assert.deepEqual([readProcessStatistics(pid), readThreadStatistics(pid, pid), readThreadIds(pid)], [undefined, undefined, new Map()])
  })
})

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  controlGroupObstacle,
  ControlGroupsUnavailable,
  findGroupTrees,
  groupSettings,
  openControlGroups,
  type ControlGroups,
  type GroupLimits,
} from './control-groups.ts'

suite('findGroupTrees()', () => {
  const unified = 'cgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate 0 0'
  const hybrid = [
    'cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0',
    'cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0',
    'cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0',
    'cgroup /sys/fs/cgroup/pids cgroup rw,pids 0 0',
  ]
  test('takes the tree of v2', () => assert.deepEqual(findGroupTrees(unified), { version: 2, root: '/sys/fs/cgroup' }))
  test('takes the trees of v1 where they have the controllers', () =>
    assert.deepEqual(findGroupTrees(hybrid.join('\n')), {
      version: 1,
      roots: { memory: '/sys/fs/cgroup/memory', cpu: '/sys/fs/cgroup/cpu,cpuacct', pids: '/sys/fs/cgroup/pids' },
    }))
  for (const [name, mounts] of [
    ['a machine without control groups', 'proc /proc proc rw 0 0'],
    ['controllers in both', hybrid.slice(0, 3).join('\n')],
  ] as const)
    test(`refuses ${name}`, () => assert.throws(() => findGroupTrees(mounts), ControlGroupsUnavailable))
})

suite('groupSettings()', () => {
  const texts = (version: 1 | 2, limits: Partial<GroupLimits>): string[] =>
    groupSettings(version, { cpuShares: 1024, processes: 100, ...limits }).map(({ file, value }) => `${file}=${value}`)
  test('writes limits in the units of v1', () =>
    assert.deepEqual(texts(1, { memoryBytes: 1 << 20, cpuMillis: 1500 }), [
      'memory.limit_in_bytes=1048576',
      'cpu.shares=1024',
      'cpu.cfs_quota_us=150000',
      'pids.max=100',
    ]))
  test('writes limits in the units of v2', () =>
    assert.deepEqual(texts(2, { memoryBytes: 1 << 20, cpuMillis: 1500 }), [
      'memory.max=1048576',
      'cpu.weight=39',
      'cpu.max=150000 100000',
      'pids.max=100',
    ]))
  test('takes limits away', () => {
    assert.ok(texts(1, {}).includes('memory.limit_in_bytes=-1') && texts(1, {}).includes('cpu.cfs_quota_us=-1'))
    assert.ok(texts(2, {}).includes('memory.max=max') && texts(2, {}).includes('cpu.max=max 100000'))
  })
})

suite('openControlGroups()', { skip: controlGroupObstacle() ?? false }, () => {
  const limits = { memoryBytes: 64 << 20, cpuShares: 102, processes: 50 }

  async function use(check: (groups: ControlGroups) => Promise<void>): Promise<void> {
    const groups = openControlGroups(`steadyvm-test-${process.pid}`)
    try {
      await check(groups)
    } finally {
      for (const name of groups.names()) while (!groups.remove(name)) await sleep(5)
      assert.ok(groups.close())
    }
  }
  const run = (groups: ControlGroups, script: string): ReturnType<typeof spawn> => {
    const join = groups.create('one', limits).map((file) => `echo $$ >${file}`)
    return spawn('/bin/sh', ['-c', [...join, script].join('\n')], { stdio: 'ignore' })
  }

  test('a group that exceeds its memory is killed, and says so', () =>
    use(async (groups) => {
      const [code, signal] = (await once(
        run(groups, `exec ${process.execPath} -e 'const kept = []; for (;;) kept.push(Buffer.alloc(1 << 20, 1))'`),
        'exit',
      )) as [number | null, string | null]
      assert.deepEqual([code, signal], [null, 'SIGKILL'])
      assert.ok(groups.ranOutOfMemory('one'))
    }))
  test('a group that does not, does not', () =>
    use(async (groups) => {
      await once(run(groups, 'kill -9 $$'), 'exit')
      assert.equal(groups.ranOutOfMemory('one'), false)
    }))
  test('what left its process group ends with the group', () =>
    use(async (groups) => {
      await once(run(groups, 'env -i setsid sleep 1000 & sleep 0.2'), 'exit')
      const [file = ''] = groups.create('one', limits)
      const pid = Number(readFileSync(file, 'utf8'))
      assert.ok(pid > 0)
      while (!groups.remove('one')) await sleep(5)
      assert.deepEqual(groups.names(), [])
      // Its new parent may not have waited for it.
      assert.ok(!existsSync(`/proc/${pid}`) || /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')))
    }))
  test('a limit can grow', () =>
    use(async (groups) => {
      groups.create('one', limits)
      assert.ok(groups.resize('one', { ...limits, memoryBytes: 256 << 20, cpuMillis: 500 }))
    }))
})

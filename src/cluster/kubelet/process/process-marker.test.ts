import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { eventually } from '../kubelet.fixture.ts'
import { isRunning, identify, readBootId, signalGroup } from './process-identity.ts'
import { carriesMarker, containerMarker, findMarked } from './process-marker.ts'

function start(script: string, environment: Readonly<Record<string, string>>): ChildProcess {
  return spawn('/bin/sh', ['-c', script], { env: { PATH: '/usr/bin:/bin', ...environment }, detached: true, stdio: 'ignore' })
}

suite('findMarked()', () => {
  test('finds a process at any time, also during execve', async () => {
    const marker = randomUUID()
    // A shell that replaces itself again and again.
    const script = 'N=$((N+1)); export N; [ $N -ge 600 ] && exec sleep 1000; exec /bin/sh -c "$SCRIPT"'
    const restless = start(script, { SCRIPT: script, N: '0', [containerMarker]: marker })
    const pid = restless.pid ?? 0
    try {
      let looks = 0
      for (const end = performance.now() + 400; performance.now() < end; looks++) {
        assert.equal(carriesMarker(pid, marker), true, `look ${looks}`)
      }
      assert.equal(findMarked(marker).length, 1)
    } finally {
      restless.kill('SIGKILL')
    }
  })
})

suite('signalGroup()', () => {
  test('does not signal another process with a reused PID', async () => {
    const bootId = readBootId()
    const child = start('exec sleep 1000', {})
    const process = identify(child.pid ?? 0, bootId)
    assert.ok(process !== undefined)
    assert.equal(signalGroup({ ...process, startTime: '1' }, bootId, 'SIGKILL'), false)
    assert.equal(signalGroup({ ...process, bootId: 'other' }, bootId, 'SIGKILL'), false)
    assert.equal(isRunning(process, bootId), true)
    assert.equal(signalGroup(process, bootId, 'SIGKILL'), true)
    await eventually(() => !isRunning(process, bootId))
  })
})

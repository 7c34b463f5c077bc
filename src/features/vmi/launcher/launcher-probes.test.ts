import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { probesOf } from './launcher-probes.ts'

const spec = (probes: Pick<VirtualMachineInstanceSpec, 'readinessProbe' | 'livenessProbe'>): VirtualMachineInstanceSpec => ({
  domain: { devices: {} },
  ...probes,
})

suite('probesOf()', () => {
  test('has the kubelet connect to the guest', () => {
    const readinessProbe = { httpGet: { port: 80, path: '/ready' }, periodSeconds: 2 }
    assert.deepEqual(probesOf(spec({ readinessProbe })), { readinessProbe })
  })

  test('gives the guest time to start, and does not probe it where it does not run yet', () => {
    const { livenessProbe, startupProbe, readinessProbe } = probesOf(
      spec({ livenessProbe: { tcpSocket: { port: 22 }, initialDelaySeconds: 5 } }),
    )
    assert.deepEqual(livenessProbe, { tcpSocket: { port: 22 }, initialDelaySeconds: 15 })
    assert.match(startupProbe?.exec?.command?.join(' ') ?? '', /\[ -f running \]/)
    assert.equal(readinessProbe, undefined)
  })

  for (const handler of [{ exec: { command: ['/bin/check'] } }, { guestAgentPing: {} }])
    test(`asks for the last result of ${Object.keys(handler).join()}, which only the node agent can carry out`, () => {
      const { readinessProbe } = probesOf(spec({ readinessProbe: { ...handler, periodSeconds: 3, timeoutSeconds: 60 } }))
      const { exec, ...others } = readinessProbe ?? {}
      assert.deepEqual(others, { periodSeconds: 3, timeoutSeconds: 5 })
      assert.match(exec?.command?.join(' ') ?? '', /probe-readiness/)
    })
})

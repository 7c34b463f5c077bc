import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { StatusError } from '#apimachinery/errors.ts'
import { assertConsole, assertDisplay } from './guest-access.ts'

// KubeVirt: pkg/virt-api/rest/console.go and vnc.go.
suite('streams of a guest', () => {
  const rows: readonly (readonly [devices: object, phase: string | undefined, console: number, display: number])[] = [
    [{}, 'Running', 101, 101],
    [{}, 'Scheduled', 400, 400],
    [{}, undefined, 400, 400],
    [{}, 'Succeeded', 400, 400],
    [{}, 'Failed', 409, 400],
    [{ autoattachSerialConsole: false }, 'Running', 400, 101],
    [{ autoattachSerialConsole: false }, 'Failed', 400, 400],
    [{ autoattachGraphicsDevice: false }, 'Running', 101, 400],
    [{ autoattachSerialConsole: true, autoattachGraphicsDevice: true }, 'Running', 101, 101],
  ]
  const codeOf = (check: (vmi: VirtualMachineInstance) => void, vmi: VirtualMachineInstance): number => {
    try {
      check(vmi)
      return 101
    } catch (error) {
      assert.ok(error instanceof StatusError)
      return error.code
    }
  }
  for (const [devices, phase, ...codes] of rows)
    test(`answer ${codes.join(' and ')} with ${JSON.stringify(devices)} in phase ${phase}`, () => {
      const vmi = { metadata: { name: 'web' }, spec: { domain: { devices } }, status: { phase } } as VirtualMachineInstance
      assert.deepEqual([codeOf(assertConsole, vmi), codeOf(assertDisplay, vmi)], codes)
    })
})

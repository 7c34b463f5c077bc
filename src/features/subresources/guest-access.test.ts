import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { StatusError } from '#apimachinery/errors.ts'
import { assertConsole, assertDisplay, assertUsbRedirection } from './guest-access.ts'

// KubeVirt: pkg/virt-api/rest/console.go, vnc.go and usbredir.go.
suite('streams of a guest', () => {
  const rows: readonly (readonly [devices: object, phase: string | undefined, console: number, display: number, usb: number])[] = [
    [{}, 'Running', 101, 101, 409],
    [{}, 'Scheduled', 400, 400, 409],
    [{}, undefined, 400, 400, 409],
    [{}, 'Succeeded', 400, 400, 409],
    [{}, 'Failed', 409, 400, 409],
    [{ autoattachSerialConsole: false }, 'Running', 400, 101, 409],
    [{ autoattachSerialConsole: false }, 'Failed', 400, 400, 409],
    [{ autoattachGraphicsDevice: false }, 'Running', 101, 400, 409],
    [{ clientPassthrough: {} }, 'Running', 101, 101, 101],
    [{ clientPassthrough: {} }, 'Scheduled', 400, 400, 400],
    [{ autoattachSerialConsole: true, autoattachGraphicsDevice: true }, 'Running', 101, 101, 409],
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
    test(`answer ${codes.join(', ')} with ${JSON.stringify(devices)} in phase ${phase}`, () => {
      const vmi = { metadata: { name: 'web' }, spec: { domain: { devices } }, status: { phase } } as VirtualMachineInstance
      assert.deepEqual([codeOf(assertConsole, vmi), codeOf(assertDisplay, vmi), codeOf(assertUsbRedirection, vmi)], codes)
    })
})

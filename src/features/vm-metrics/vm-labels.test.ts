import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { createMetrics } from '#runtime/metrics/metrics.ts'
import { defineLabelMetrics } from './vm-labels.ts'

const vmOf = (
  name: string,
  labels: Readonly<Record<string, string>>,
  inTemplate: Readonly<Record<string, string>> = {},
): VirtualMachine => ({
  metadata: { name, namespace: 'n', labels },
  spec: { template: { metadata: { labels: inTemplate }, spec: { domain: { devices: {} } } } },
})

suite('kubevirt_vm_labels', () => {
  const vms = [vmOf('web', { 'app.kubernetes.io/name': 'shop', tier: 'a' }, { tier: 'b', '1st': 'x' }), vmOf('bare', {})]
  const rows: readonly (readonly [string, Readonly<Record<string, string>> | undefined, readonly string[]])[] = [
    [
      'all labels, those of the template over those of the VM',
      undefined,
      ['label_app_kubernetes_io_name="shop",label_tier="b",label__1st="x"'],
    ],
    ['allowed ones', { allowlist: 'tier, other' }, ['label_tier="b"']],
    ['none, if none is allowed', { allowlist: '' }, []],
    ['all but ignored ones', { ignorelist: 'tier,1st' }, ['label_app_kubernetes_io_name="shop"']],
    [
      'no ignored one, though it is allowed',
      { allowlist: '*,tier', ignorelist: 'tier' },
      ['label_app_kubernetes_io_name="shop",label__1st="x"'],
    ],
  ]
  for (const [what, data, wanted] of rows) {
    test(`has ${what}`, async () => {
      const metrics = createMetrics()
      defineLabelMetrics(metrics, { vms: { list: () => vms }, settings: () => (data === undefined ? undefined : { metadata: {}, data }) })
      const lines = (await metrics.metrics()).split('\n').filter((line) => line.startsWith('kubevirt_vm_labels'))
      assert.deepEqual(
        lines,
        wanted.map((labels) => `kubevirt_vm_labels{name="web",namespace="n",${labels}} 1`),
      )
    })
  }
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Toleration } from '#api/core/v1/affinity.ts'
import type { Taint } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { evictionTime } from './eviction-time.ts'

const at = (text: string): number => Date.parse(`2026-11-21T${text}Z`)
const pod = (tolerations: Toleration[], boundAt = '09:00:00'): Pod => ({
  metadata: { name: 'a' },
  spec: { containers: [], tolerations },
  status: { conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: `2026-11-21T${boundAt}Z` }] },
})
const taint = (key: string, more: Partial<Taint> = {}): Taint => ({ key, effect: 'NoExecute', ...more })
const bears = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
})
const timeAdded = '2026-11-21T10:00:00Z'

suite('evictionTime()', () => {
  const cases: { name: string; pod: Pod; taints: Taint[]; want: number }[] = [
    { name: 'no taint, never', pod: pod([]), taints: [], want: Infinity },
    { name: 'a taint that only keeps new pods away, never', pod: pod([]), taints: [taint('x', { effect: 'NoSchedule' })], want: Infinity },
    { name: 'a taint that is not borne, at once', pod: pod([bears('y')]), taints: [taint('x'), taint('y')], want: 0 },
    { name: 'a taint that is borne for good, never', pod: pod([bears('x')]), taints: [taint('x')], want: Infinity },
    {
      name: 'a taint with tolerationSeconds, from its timeAdded on',
      pod: pod([bears('x', 300)]),
      taints: [taint('x', { timeAdded })],
      want: at('10:05:00'),
    },
    {
      name: 'a pod that came later, since then',
      pod: pod([bears('x', 300)], '10:01:00'),
      taints: [taint('x', { timeAdded })],
      want: at('10:06:00'),
    },
    {
      name: 'a taint without timeAdded, from its first observation on',
      pod: pod([bears('x', 60)]),
      taints: [taint('x')],
      want: at('11:01:00'),
    },
    {
      name: 'the shortest of all',
      pod: pod([bears('x', 300), bears('y', 10)]),
      taints: [taint('x', { timeAdded }), taint('y', { timeAdded })],
      want: at('10:00:10'),
    },
    { name: 'no time at all', pod: pod([bears('x', 0)]), taints: [taint('x', { timeAdded })], want: 0 },
  ]
  for (const { name, pod: subject, taints, want } of cases) {
    test(name, () => assert.equal(evictionTime(subject, taints, at('11:00:00')), want))
  }
})

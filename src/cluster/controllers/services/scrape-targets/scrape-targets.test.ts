import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Pod } from '#api/core/v1/pod.ts'
import { scrapeTargetsOf } from './scrape-targets.ts'

const pod = (name: string, podIP: string | undefined, phase: string, ...ports: readonly string[]): Pod =>
  ({
    metadata: { namespace: 'kubevirt', name },
    spec: {
      containers: [{ name: 'main', ports: ports.map((port, index) => ({ name: port, containerPort: 8443 + index })) }, { name: 'plain' }],
    },
    status: { phase, ...(podIP === undefined ? {} : { podIP }) },
  }) as unknown as Pod

test('scrapeTargetsOf() lists the ports for metrics of pods that run', () => {
  const pods = [
    pod('b', '127.1.0.2', 'Running', 'metrics'),
    pod('a', '127.1.0.1', 'Running', 'https', 'metrics'),
    pod('without-port', '127.1.0.3', 'Running', 'https'),
    pod('without-address', undefined, 'Pending', 'metrics'),
    pod('ended', '127.1.0.4', 'Failed', 'metrics'),
  ]
  assert.deepEqual(scrapeTargetsOf(pods), [
    { targets: ['127.1.0.1:8444'], labels: { namespace: 'kubevirt', pod: 'a', container: 'main' } },
    { targets: ['127.1.0.2:8443'], labels: { namespace: 'kubevirt', pod: 'b', container: 'main' } },
  ])
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { daemonSetStrategy } from './daemon-set-strategy.ts'
import { deploymentStrategy } from './deployment-strategy.ts'
import { jobStrategy } from './job-strategy.ts'
import { replicaSetStrategy } from './replica-set-strategy.ts'

const now = 0
const labels = { app: 'a' }
const container = { name: 'main', image: 'a:1', terminationMessagePolicy: 'File', terminationMessagePath: '/dev/termination-log' }
const pods = { metadata: { labels }, spec: { containers: [container] } }
const lasting = { selector: { matchLabels: labels }, template: pods }
const once = { template: { metadata: {}, spec: { ...pods.spec, restartPolicy: 'Never' } } }

function withSpec(spec: object): KubeObject {
  const object: KubeObject & { spec: object } = { metadata: { name: 'a', uid: 'u1' }, spec }
  return object
}

function faults(strategy: Strategy, spec: object, old?: object): readonly string[] {
  const made = (from: object): KubeObject => strategy.prepareForCreate?.(withSpec(from), now) ?? withSpec(from)
  const before = old === undefined ? undefined : made(old)
  return (strategy.validate?.(made(spec), before) ?? []).map(({ field, message }) => `${field}: ${message}`)
}

suite('Strategies of workloads', () => {
  for (const [strategy, spec] of [
    [deploymentStrategy, lasting],
    [deploymentStrategy, { ...lasting, strategy: { type: 'Recreate' } }],
    [replicaSetStrategy, lasting],
    [daemonSetStrategy, lasting],
    [daemonSetStrategy, { ...lasting, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '10%' } } }],
    [jobStrategy, once],
    [jobStrategy, { ...once, completionMode: 'Indexed', completions: 3 }],
  ] as const) {
    test(`accept ${JSON.stringify(spec).slice(0, 60)}…`, () => assert.deepEqual(faults(strategy, spec), []))
  }

  for (const [strategy, spec, expected] of [
    [
      deploymentStrategy,
      { ...lasting, selector: {} },
      'spec.selector: Invalid value: map[string]interface {}{}: empty selector is invalid for deployment',
    ],
    [
      deploymentStrategy,
      { ...lasting, selector: { matchLabels: { app: 'b' } } },
      'spec.template.metadata.labels: Invalid value: map[string]string{"app":"a"}: `selector` does not match template `labels`',
    ],
    [
      deploymentStrategy,
      { ...lasting, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } },
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"0%"}: may not be 0 when `maxSurge` is 0',
    ],
    [
      deploymentStrategy,
      { ...lasting, strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ],
    [
      deploymentStrategy,
      { ...lasting, template: { ...pods, spec: { ...pods.spec, restartPolicy: 'Never' } } },
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ],
    [
      deploymentStrategy,
      { ...lasting, progressDeadlineSeconds: 5, minReadySeconds: 5 },
      'spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds',
    ],
    [replicaSetStrategy, { ...lasting, replicas: -1 }, 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    [
      daemonSetStrategy,
      { ...lasting, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } },
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero',
    ],
    [
      daemonSetStrategy,
      { ...lasting, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } } },
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
    ],
    [
      replicaSetStrategy,
      { ...lasting, template: { ...pods, metadata: { labels: { ...labels, tier: 'a b' } } } },
      'spec.template.labels: Invalid value: "a b": a valid label',
    ],
    [jobStrategy, { template: pods }, 'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    [
      jobStrategy,
      { ...once, completionMode: 'Indexed', parallelism: 2 },
      'spec.completions: Required value: when completion mode is Indexed',
    ],
  ] as const) {
    test(`refuse: ${expected}`, () => {
      const found = faults(strategy, spec)
      assert.deepEqual(
        found.map((fault) => fault.slice(0, expected.length)),
        [expected],
      )
    })
  }

  test('keep immutable fields', () => {
    const other = { app: 'a', tier: 'b' }
    const changed = { selector: { matchLabels: other }, template: { ...pods, metadata: { labels: other } } }
    for (const strategy of [deploymentStrategy, replicaSetStrategy, daemonSetStrategy]) {
      assert.match(faults(strategy, changed, lasting).join(), /^spec\.selector: .*: field is immutable$/)
    }
    const another = { template: { ...once.template, spec: { ...once.template.spec, containers: [{ ...container, image: 'b:1' }] } } }
    assert.match(faults(jobStrategy, another, once).join(), /^spec\.template: .*: field is immutable$/)
    assert.deepEqual(faults(jobStrategy, { ...once, parallelism: 5, completions: 1 }, once), [])
  })

  test('set defaults, and those of an update type only for that type', () => {
    const made = deploymentStrategy.prepareForCreate?.(withSpec({ ...lasting, strategy: { type: 'RollingUpdate' } }), now) as never as {
      spec: { strategy: unknown; template: { spec: Record<string, unknown> } }
    }
    assert.deepEqual(made.spec.strategy, { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } })
    const { restartPolicy, dnsPolicy, terminationGracePeriodSeconds, schedulerName } = made.spec.template.spec
    assert.deepEqual(
      [restartPolicy, dnsPolicy, terminationGracePeriodSeconds, schedulerName],
      ['Always', 'ClusterFirst', 30, 'default-scheduler'],
    )
    const job = jobStrategy.prepareForCreate?.(withSpec(once), now) as never as { spec: Record<string, unknown> }
    assert.deepEqual([job.spec['completions'], job.spec['parallelism'], job.spec['backoffLimit']], [1, 1, 6])
    assert.deepEqual(job.spec['selector'], { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u1' } })
  })
})

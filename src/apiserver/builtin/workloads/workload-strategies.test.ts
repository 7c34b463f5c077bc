import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Strategy } from '#apiserver/registry/resource-definition.ts'
import { daemonSetStrategy } from './daemon-set-strategy.ts'
import { deploymentStrategy } from './deployment-strategy.ts'
import { jobStrategy } from './job-strategy.ts'
import { replicaSetStrategy } from './replica-set-strategy.ts'
import { statefulSetStrategy } from './stateful-set-strategy.ts'

const now = 0
const labels = { app: 'a' }
const container = { name: 'main', image: 'a:1', terminationMessagePolicy: 'File', terminationMessagePath: '/dev/termination-log' }
const pods = { metadata: { labels }, spec: { containers: [container] } }
const lasting = { selector: { matchLabels: labels }, template: pods }
const failsIndex = { action: 'FailIndex', onExitCodes: { operator: 'In', values: [1, 42] } }
const ignores = { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }
const once = { template: { metadata: {}, spec: { ...pods.spec, restartPolicy: 'Never' } } }

const indexed = { ...once, completionMode: 'Indexed', completions: 3 }

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
    [statefulSetStrategy, lasting],
    [
      statefulSetStrategy,
      {
        selector: lasting.selector,
        template: { ...pods, spec: { containers: [{ ...container, volumeMounts: [{ name: 'data', mountPath: '/data' }] }] } },
        volumeClaimTemplates: [{ metadata: { name: 'data' } }],
      },
    ],
    [statefulSetStrategy, { ...lasting, podManagementPolicy: 'Parallel', updateStrategy: { type: 'OnDelete' } }],
    [jobStrategy, once],
    [jobStrategy, { ...once, completionMode: 'Indexed', completions: 3 }],
    [jobStrategy, { ...indexed, backoffLimitPerIndex: 1, maxFailedIndexes: 3, podFailurePolicy: { rules: [failsIndex, ignores] } }],
    [jobStrategy, { ...indexed, successPolicy: { rules: [{ succeededIndexes: '0-1', succeededCount: 1 }, { succeededCount: 3 }] } }],
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
    [
      statefulSetStrategy,
      { ...lasting, podManagementPolicy: 'Any' },
      "spec.podManagementPolicy: Invalid value: \"Any\": must be 'OrderedReady' or 'Parallel'",
    ],
    [
      statefulSetStrategy,
      { ...lasting, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: -1 } } },
      'spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0',
    ],
    [jobStrategy, { template: pods }, 'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    [
      jobStrategy,
      { ...once, completionMode: 'Indexed', parallelism: 2 },
      'spec.completions: Required value: when completion mode is Indexed',
    ],
    [jobStrategy, { ...once, backoffLimitPerIndex: 1 }, 'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
    [
      jobStrategy,
      { ...indexed, backoffLimitPerIndex: 1, maxFailedIndexes: 4 },
      'spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions',
    ],
    [
      jobStrategy,
      { ...indexed, podFailurePolicy: { rules: [failsIndex] } },
      'spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
    ],
    [
      jobStrategy,
      { ...once, podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [0] } }] } },
      'spec.podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator',
    ],
    [
      jobStrategy,
      { ...once, podFailurePolicy: { rules: [{ action: 'FailJob' }] } },
      'spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
    ],
    [
      jobStrategy,
      { ...once, podReplacementPolicy: 'TerminatingOrFailed', podFailurePolicy: { rules: [ignores] } },
      'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
    ],
    [
      jobStrategy,
      { ...indexed, successPolicy: { rules: [{ succeededIndexes: '0-3' }] } },
      'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "0-3": error parsing succeededIndexes: too large index: "3"',
    ],
    [
      jobStrategy,
      { ...indexed, successPolicy: { rules: [{ succeededIndexes: '0,2', succeededCount: 3 }] } },
      'spec.successPolicy.rules[0].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the',
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
    assert.match(faults(statefulSetStrategy, { ...lasting, serviceName: 'b' }, lasting).join(), /^spec: Forbidden: updates to statefulset/)
    assert.deepEqual(faults(statefulSetStrategy, { ...lasting, replicas: 2, minReadySeconds: 3 }, lasting), [])
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
    const perIndex = jobStrategy.prepareForCreate?.(withSpec({ ...indexed, backoffLimitPerIndex: 1 }), now) as typeof job
    assert.equal(perIndex.spec['backoffLimit'], 2 ** 31 - 1)
    assert.deepEqual(job.spec['selector'], { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u1' } })
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { customizerAnnotation } from './customize.ts'
import { settingsOf } from './settings.ts'
import { strategyOf, type Target } from './strategy.ts'

const target: Target = {
  version: 'v1.2.3',
  registry: 'registry.test/some',
  namespace: 'kubevirt',
  platform: {
    args: { 'virt-handler': ['--kubeconfig=/pki/$(NODE_NAME)'] },
    environment: { STEADYVM_HOME: '/home' },
    annotations: { 'example.test/a': 'b' },
    controlPlaneNode: 'n1',
  },
}

const settings = settingsOf({})

suite('strategyOf()', () => {
  const { agent, controller, api, service } = strategyOf(target, settings)
  const workloads = [agent, controller, api]

  test('is the same for the same target, and has another identifier for every other one', () => {
    assert.deepEqual(strategyOf(structuredClone(target), settings), strategyOf(target, settings))
    const others: readonly Target[] = [
      { ...target, version: 'v1.2.4' },
      { ...target, registry: 'registry.test' },
      { ...target, platform: { ...target.platform, environment: {} } },
    ]
    const identifiers = [target, ...others].map((each) => strategyOf(each, settings).identifier)
    assert.equal(new Set(identifiers).size, identifiers.length)
  })

  test('marks objects and pods alike, so that an old pod is told from a new one', () => {
    for (const { metadata, spec } of workloads) {
      const marks = Object.entries(metadata.annotations ?? {})
      assert.equal(marks.length, 4)
      for (const [key, value] of marks) if (key !== customizerAnnotation) assert.equal(spec.template.metadata?.annotations?.[key], value)
    }
  })

  test('selects its own pods, and the service those of the API', () => {
    for (const { spec } of workloads) {
      for (const [key, value] of Object.entries(spec.selector.matchLabels ?? {})) assert.equal(spec.template.metadata?.labels?.[key], value)
    }
    for (const [key, value] of Object.entries(service.spec?.selector ?? {})) assert.equal(api.spec.template.metadata?.labels?.[key], value)
  })

  test('runs images of the version, with what the place adds', () => {
    const [container] = agent.spec.template.spec.containers
    assert.equal(container?.image, 'registry.test/some/virt-handler:v1.2.3')
    assert.ok(container?.args?.includes('--kubeconfig=/pki/$(NODE_NAME)'))
    assert.ok(container?.env?.some(({ name, value }) => name === 'STEADYVM_HOME' && value === '/home'))
    assert.equal(agent.spec.template.metadata?.annotations?.['example.test/a'], 'b')
  })

  test('keeps node agents on nodes that are being emptied, and lets everything else leave', () => {
    assert.deepEqual(agent.spec.template.spec.tolerations, [{ operator: 'Exists' }])
    for (const { spec } of [controller, api]) assert.equal(spec.template.spec.nodeSelector, undefined)
  })

  test('puts several of a kind on several nodes, before it prefers one', () => {
    for (const { spec, metadata } of [controller, api]) {
      const { podAntiAffinity, nodeAffinity } = spec.template.spec.affinity ?? {}
      const [apart] = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
      const [near] = nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
      assert.deepEqual(apart?.podAffinityTerm.labelSelector?.matchLabels, { 'kubevirt.io': metadata.name })
      assert.ok((apart?.weight ?? 0) > (near?.weight ?? 0))
    }
    assert.equal(agent.spec.template.spec.affinity, undefined)
  })

  test('never leaves a moment without API', () => {
    assert.deepEqual(api.spec.strategy?.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 })
  })
})

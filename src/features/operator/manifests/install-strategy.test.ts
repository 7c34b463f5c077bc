import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Node } from '#api/core/v1/node.ts'
import { parseQuantity } from '#apimachinery/quantity.ts'
import type { KubeVirtSpec } from '#api/kubevirt/v1/kubevirt.ts'
import { customizerAnnotation } from './customize.ts'
import { infraSettingsOf } from './infra-settings.ts'
import { installStrategyOf, type Target } from './install-strategy.ts'

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

const settings = infraSettingsOf({})

suite('strategyOf()', () => {
  const { agent, controller, api, service } = installStrategyOf(target, settings)
  const workloads = [agent, controller, api]

  test('is the same for the same target, and has a different identifier for every other one', () => {
    assert.deepEqual(installStrategyOf(structuredClone(target), settings), installStrategyOf(target, settings))
    const others: readonly Target[] = [
      { ...target, version: 'v1.2.4' },
      { ...target, registry: 'registry.test' },
      { ...target, platform: { ...target.platform, environment: {} } },
    ]
    const identifiers = [target, ...others].map((each) => installStrategyOf(each, settings).identifier)
    assert.equal(new Set(identifiers).size, identifiers.length)
  })

  const sized = (names: readonly string[], spec: KubeVirtSpec = {}): readonly [number | undefined, number | undefined] => {
    const nodes = names.map((name) => ({ metadata: { name, labels: { for: name.slice(0, 1) } } }) as unknown as Node)
    const { api: servers, controller: others } = installStrategyOf(target, infraSettingsOf(spec, nodes))
    return [servers.spec.replicas, others.spec.replicas]
  }
  const many = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `g${index}`)
  const sizes: readonly (readonly [string, readonly string[], KubeVirtSpec, number, number])[] = [
    ['no node yet', [], {}, 1, 1],
    ['one node', ['g'], {}, 1, 1],
    ['two', many(2), {}, 2, 1],
    ['29', many(29), {}, 2, 1],
    ['45', many(45), {}, 4, 1],
    ['several nodes, one of them for guests', ['g', 'a', 'b', 'c'], { workloads: { nodePlacement: { nodeSelector: { for: 'g' } } } }, 1, 1],
    ['several nodes and three requested replicas', many(45), { infra: { replicas: 3 } }, 3, 3],
  ]
  for (const [what, nodes, spec, servers, others] of sizes)
    test(`has ${servers} API servers for ${what}`, () => assert.deepEqual(sized(nodes, spec), [servers, others]))

  test('does not replace pods when the number of replicas changes', () => {
    const [one, more] = [1, 2].map((count) => installStrategyOf(target, { ...settings, apiServers: count }).api)
    assert.deepEqual(one?.spec.template, more?.spec.template)
    assert.notEqual(one?.metadata.annotations?.[customizerAnnotation], more?.metadata.annotations?.[customizerAnnotation])
  })

  test('annotates objects and pods alike, so that old and new pods can be distinguished', () => {
    for (const { metadata, spec } of workloads) {
      const marks = Object.entries(metadata.annotations ?? {})
      assert.equal(marks.length, 4)
      for (const [key, value] of marks) if (key !== customizerAnnotation) assert.equal(spec.template.metadata?.annotations?.[key], value)
    }
  })

  test('selects its own pods, and with the service those of virt-api', () => {
    for (const { spec } of workloads) {
      for (const [key, value] of Object.entries(spec.selector.matchLabels ?? {})) assert.equal(spec.template.metadata?.labels?.[key], value)
    }
    for (const [key, value] of Object.entries(service.spec?.selector ?? {})) assert.equal(api.spec.template.metadata?.labels?.[key], value)
  })

  test('runs images of the version, with the settings of the platform', () => {
    const [container] = agent.spec.template.spec.containers
    assert.equal(container?.image, 'registry.test/some/virt-handler:v1.2.3')
    assert.ok(container?.args?.includes('--kubeconfig=/pki/$(NODE_NAME)'))
    assert.ok(container?.env?.some(({ name, value }) => name === 'STEADYVM_HOME' && value === '/home'))
    assert.equal(agent.spec.template.metadata?.annotations?.['example.test/a'], 'b')
  })

  test('keeps node agents on drained nodes, and evicts all other components', () => {
    assert.deepEqual(agent.spec.template.spec.tolerations, [{ operator: 'Exists' }])
    for (const { spec } of [controller, api]) assert.equal(spec.template.spec.nodeSelector, undefined)
  })

  test('spreads replicas over nodes, before it prefers a control plane node', () => {
    for (const { spec, metadata } of [controller, api]) {
      const { podAntiAffinity, nodeAffinity } = spec.template.spec.affinity ?? {}
      const [apart] = podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
      const [near] = nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
      assert.deepEqual(apart?.podAffinityTerm.labelSelector?.matchLabels, { 'kubevirt.io': metadata.name })
      assert.ok((apart?.weight ?? 0) > (near?.weight ?? 0))
    }
    assert.equal(agent.spec.template.spec.affinity, undefined)
  })

  test('requests a share of the CPU for components in containers that guests cannot take', () => {
    const platform = { ...target.platform, runsContainers: true }
    const { agent: onNode, controller: leader, api: server } = installStrategyOf({ ...target, platform }, settings)
    for (const { spec } of [onNode, leader, server]) {
      const { cpu = '0' } = spec.template.spec.containers[0]?.resources?.requests ?? {}
      assert.ok(parseQuantity(cpu).nanos >= parseQuantity('100m').nanos, String(cpu))
    }
  })

  test('rolls out virt-api without downtime', () => {
    assert.deepEqual(api.spec.strategy?.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 })
  })
})

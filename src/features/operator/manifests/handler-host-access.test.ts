import assert from 'node:assert/strict'
import type { Platform } from '#runtime/process/platform.ts'
import { suite, test } from 'node:test'
import { infraSettingsOf } from './infra-settings.ts'
import { installStrategyOf } from './install-strategy.ts'

const plain: Platform = { args: {}, environment: {}, annotations: {}, controlPlaneNode: '' }
const folders = [{ path: '/var/lib/kubelet/pods', mounts: true }, { path: '/run/some' }]

suite('access of component pods to their node', () => {
  const { agent, api, controller } = installStrategyOf(
    {
      version: 'v1.0.0',
      registry: 'o.test',
      namespace: 'kubevirt',
      platform: { ...plain, nodeFolders: { 'virt-handler': folders }, hasMigrationSecrets: true },
    },
    infraSettingsOf({}),
  )
  const { volumes = [], containers } = agent.spec.template.spec
  const [{ volumeMounts = [], securityContext, args = [] } = {}] = containers

  test('the node agent mounts each folder of its node at the same path, and sees the processes of the node', () => {
    const mounted = volumes.flatMap(({ name, hostPath }) =>
      hostPath === undefined ? [] : [[hostPath.path, volumeMounts.find((mount) => mount.name === name)?.mountPath]],
    )
    assert.deepEqual(
      mounted,
      folders.map(({ path }) => [path, path]),
    )
    const propagations = volumeMounts.flatMap(({ mountPropagation }) => mountPropagation ?? [])
    assert.deepEqual(propagations, ['Bidirectional'])
    assert.equal(agent.spec.template.spec.hostPID, true)
    assert.equal(securityContext?.privileged, true)
  })

  test('mounts the certificates at the path of its flag, read-only', () => {
    const mount = volumeMounts.find(({ name }) => name === 'migration-certificates')
    assert.ok(args.includes(`--migration-certificates=${mount?.mountPath}`))
    assert.ok(args.includes('--migration-name=virt-handler.kubevirt'))
    assert.equal(mount?.readOnly, true)
    const sources = volumes.find(({ name }) => name === 'migration-certificates')?.projected?.sources ?? []
    const files = sources.flatMap(({ configMap, secret }) => (configMap ?? secret)?.items?.map(({ path }) => path) ?? [])
    assert.deepEqual(files, ['ca-cert.pem', 'server-cert.pem', 'server-key.pem', 'client-cert.pem', 'client-key.pem'])
  })

  test('other components mount no folder, and neither does an agent where pods are processes', () => {
    const { agent: process } = installStrategyOf(
      { version: 'v1.0.0', registry: 'o.test', namespace: 'kubevirt', platform: plain },
      infraSettingsOf({}),
    )
    for (const { spec } of [api, controller, process].map((object) => object.spec.template)) {
      assert.equal(spec.volumes, undefined)
      assert.equal(spec.containers[0]?.securityContext, undefined)
    }
  })
})

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { objectsOf, infraSettingsOf, installStrategyOf } from '#features/operator/index.ts'
import { clusterPlatform } from '#machine/control-plane/platform.ts'
import { startEmbeddedServer, type EmbeddedServer } from '../support/embedded-server.ts'
import { newestKubectl, noKubectl, runCommand } from '../support/kubectl.ts'

const steadyvm = join(import.meta.dirname, '..', '..', 'bin', 'steadyvm')

async function printed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(steadyvm, ['install', ...args], { env: process.env })
  assert.equal(code, 0, stderr)
  return stdout
}

suite('manifests of steadyvm install', { skip: noKubectl }, () => {
  let server: EmbeddedServer
  before(async () => {
    server = await startEmbeddedServer()
  })
  after(() => server[Symbol.asyncDispose]())

  const kubectl = async (args: readonly string[], input?: string): Promise<string> => {
    const { code, output } = await server.run(newestKubectl().path, args, input)
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${output}`)
    return output
  }
  const apply = ['apply', '--server-side', '-f', '-']

  test('kubectl applies them, and changes nothing the second time', async () => {
    const manifests = await printed('--part', 'operator')
    assert.match(await kubectl(apply, manifests), /deployment\.apps\/virt-operator serverside-applied/)
    await kubectl(['wait', 'crd', '--all', '--for=condition=Established', '--timeout=30s'])
    const version = async (): Promise<string> =>
      kubectl(['get', 'deployment', 'virt-operator', '-n', 'kubevirt', '-o', 'jsonpath={.metadata.resourceVersion}'])
    const before = await version()
    await kubectl(apply, manifests)
    assert.equal(await version(), before)
    const dry = await kubectl([...apply, '--dry-run=server'], await printed())
    assert.match(dry, /kubevirt\.kubevirt\.io\/kubevirt serverside-applied \(server dry run\)/)
    await kubectl(apply, await printed('--part', 'kubevirt', '--registry', 'mine.test', '-o', 'json'))
    assert.equal(await kubectl(['get', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '-o', 'jsonpath={.spec.imageRegistry}']), 'mine.test')
  })

  test('the operator of HyperConverged is applied beside it, and its object by a second command', async () => {
    const manifests = await printed('--part', 'hyperconverged-operator')
    assert.match(await kubectl(apply, manifests), /deployment\.apps\/hyperconverged-operator serverside-applied/)
    await kubectl(['wait', 'crd/hyperconvergeds.hco.kubevirt.io', '--for=condition=Established', '--timeout=30s'])
    await kubectl(apply, manifests)
    await kubectl(apply, await printed('--part', 'hyperconverged-object'))
    const names = ['get', 'hcos', '-n', 'kubevirt', '-o', 'name']
    assert.match(await kubectl(names), /^hyperconverged\.hco\.kubevirt\.io\/kubevirt-hyperconverged$/m)
    // Its defaults are stored.
    const timeout = 'jsonpath={.items[0].spec.virtualization.liveMigrationConfig.progressTimeout}'
    assert.equal(await kubectl(['get', 'hco', '-n', 'kubevirt', '-o', timeout]), '150')
  })

  test('the operator creates components with their folders and certificates', async () => {
    const target = { version: 'v1.2.3', registry: 'mine.test', namespace: 'kubevirt', platform: clusterPlatform() }
    const items = objectsOf(installStrategyOf(target, infraSettingsOf({})))
    const dry = await kubectl([...apply, '--dry-run=server'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
    for (const name of ['service/virt-api', 'daemonset.apps/virt-handler', 'deployment.apps/virt-controller', 'deployment.apps/virt-api'])
      assert.ok(dry.includes(`${name} serverside-applied`), dry)
  })

  const rights: readonly (readonly [string, string, boolean])[] = [
    ['virt-operator', 'create deployments.apps -n kubevirt', true],
    ['virt-operator', 'create secrets -n kubevirt', true],
    ['virt-operator', 'patch kubevirts.kubevirt.io/kubevirt --subresource=status -n kubevirt', true],
    ['virt-operator', 'update kubevirts.kubevirt.io/kubevirt -n kubevirt', false],
    ['virt-operator', 'create deployments.apps -n default', false],
    ['virt-operator', 'get secrets -n default', false],
    ['virt-operator', 'impersonate users', false],
    ['virt-operator', 'create namespaces', false],
    ['virt-api', 'get secrets/kubevirt-virt-api-certs -n kubevirt', true],
    ['virt-api', 'get secrets/kubevirt-ca -n kubevirt', false],
    ['virt-api', 'get configmaps/extension-apiserver-authentication -n kube-system', true],
    ['virt-api', 'create pods -n default', false],
    ['virt-controller', 'create pods -n default', true],
    ['virt-controller', 'get secrets -n default', false],
    ['virt-handler', 'patch virtualmachineinstances.kubevirt.io -n default', true],
    ['virt-handler', 'create pods -n default', false],
    ['virt-handler', 'get secrets -n kubevirt', false],
    ['hyperconverged-operator', 'patch kubevirts.kubevirt.io -n kubevirt', true],
    ['hyperconverged-operator', 'delete kubevirts.kubevirt.io -n kubevirt', true],
    ['hyperconverged-operator', 'delete cdis.cdi.kubevirt.io', false],
    ['hyperconverged-operator', 'patch hyperconvergeds.hco.kubevirt.io -n kubevirt', true],
    ['hyperconverged-operator', 'delete hyperconvergeds.hco.kubevirt.io -n kubevirt', false],
    ['hyperconverged-operator', 'patch hyperconvergeds.hco.kubevirt.io/a --subresource=status -n kubevirt', true],
    ['hyperconverged-operator', 'get secrets/hyperconverged-operator-certs -n kubevirt', true],
    ['hyperconverged-operator', 'get secrets/kubevirt-ca -n kubevirt', false],
    ['hyperconverged-operator', 'patch customresourcedefinitions/kubevirts.kubevirt.io', false],
  ]
  for (const [component, question, isAllowed] of rights) {
    test(`${component} ${isAllowed ? 'may' : 'may not'} ${question}`, async () => {
      const args = ['auth', 'can-i', ...question.split(' '), `--as=system:serviceaccount:kubevirt:${component}`]
      const { output } = await server.run(newestKubectl().path, args)
      assert.match(output, isAllowed ? /^yes/m : /^no/m)
    })
  }

  test('with the image of a workload, the operator of HyperConverged has its rights, too, and no others', async () => {
    const can = async (question: string): Promise<boolean> => {
      const args = ['auth', 'can-i', ...question.split(' '), '--as=system:serviceaccount:kubevirt:hyperconverged-operator']
      return /^yes/m.test((await server.run(newestKubectl().path, args)).output)
    }
    const withImages = async (...images: string[]): Promise<string> =>
      kubectl(apply, await printed('--part', 'hyperconverged-operator', ...images.flatMap((image) => ['--workload-image', image])))
    const questions = ['watch configmaps -n default', 'bind clusterroles/kubevirt-aie-webhook', 'get secrets -n default']
    const all = async (): Promise<readonly boolean[]> => Promise.all(questions.map(can))
    assert.deepEqual(await all(), [false, false, false])
    await withImages('aie-webhook=mine.test/aie:v1')
    assert.deepEqual(await all(), [true, true, false])
    assert.equal(await can('bind clusterroles/cluster-admin'), false)
    await withImages('observability-controller=mine.test/controller:v1')
    assert.deepEqual(await all(), [false, false, true])
    const variable = '{.spec.template.spec.containers[0].env[?(@.name=="OBSERVABILITY_CONTROLLER_IMAGE")].value}'
    const get = ['get', 'deployment', 'hyperconverged-operator', '-n', 'kubevirt', '-o', `jsonpath=${variable}`]
    assert.equal(await kubectl(get), 'mine.test/controller:v1')
  })
})

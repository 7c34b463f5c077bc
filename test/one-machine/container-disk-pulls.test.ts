import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { packArchive } from '#importer/archive/archive.fixture.ts'
import { type ContainerRegistry, noRegistry, registryLogin, startContainerRegistry } from '../support/container-registry.ts'
import { openStream } from '../support/guests/guest-streams.ts'
import { bootText, makeBootDisk } from '../support/images/boot-disk.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, textAt, type TestMachine } from '../support/machine.ts'
import { useNamespace } from '../support/namespaces.ts'
import { addressForPods } from '../support/place.ts'

const skip = noKubectl || noRegistry

suite('Container disks of a registry', { skip }, () => {
  let machine: TestMachine
  let registry: ContainerRegistry
  let folder: string
  let distrust: () => Promise<void>
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'container-disk-'))
    await makeBootDisk(join(folder, 'boot.qcow2'))
    machine = await useNamespace()
    registry = await startContainerRegistry(await addressForPods(machine.kubeconfig))
    distrust = await machine.trustRegistry(registry)
    const disk = { name: 'disk/boot.qcow2', content: await readFile(join(folder, 'boot.qcow2')), mode: 0o440, owner: 107 }
    const layer = gzipSync(await packArchive([{ name: 'disk/', type: 'directory' }, disk]))
    await registry.push('team/boot', 'v1', { layer, environment: [] })
    const auths = { [registry.host]: registryLogin }
    await create({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/dockerconfigjson',
      metadata: { name: 'login' },
      stringData: { '.dockerconfigjson': JSON.stringify({ auths }) },
    })
  })
  after(async () => {
    await distrust()
    await machine[Symbol.asyncDispose]()
    await registry[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  const create = (object: object): Promise<string> => machine.kubectl(['create', '-f', '-'], JSON.stringify(object))

  function createVm(name: string, tag: string, imagePullSecret?: string): Promise<string> {
    const containerDisk = { image: `${registry.host}/team/boot:${tag}`, ...(imagePullSecret === undefined ? {} : { imagePullSecret }) }
    const devices = { disks: [{ name: 'root', disk: { bus: 'virtio' } }] }
    const spec = {
      terminationGracePeriodSeconds: 0,
      domain: { memory: { guest: '64Mi' }, devices },
      volumes: [{ name: 'root', containerDisk }],
    }
    return create({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name },
      spec: { runStrategy: 'Always', template: { spec } },
    })
  }

  const waiting = (): Promise<string> =>
    machine.kubectl(['get', 'pods', '-o', 'jsonpath={.items[*].status.containerStatuses[*].state.waiting}'])

  const podEvents = (name: string): Promise<string> =>
    machine
      .kubectl(['get', 'events', '-o', `jsonpath={range .items[?(@.involvedObject.kind=="Pod")]}{.reason}: {.message}{"\\n"}{end}`])
      .then((text) =>
        text
          .split('\n')
          .filter((line) => line.includes(name))
          .join('\n'),
      )

  test('a VM boots from an image that is pulled with the login of its Secret', async () => {
    await createVm('pulled', 'v1', 'login')
    await machine.kubectl(['wait', 'vm/pulled', '--for=condition=Ready'])
    await readsOnConsole('pulled', bootText)
    const events = await podEvents(`${registry.host}/team/boot:v1`)
    assert.match(events, /Pulling: Pulling image/)
    assert.match(events, /Pulled: Successfully pulled image .* Image size: \d+ bytes/)
  })

  test('a wrong tag is a back-off that names it', async () => {
    await createVm('wrong-tag', 'v9', 'login')
    const reason = /team\/boot:v9.*(answers 404 .*MANIFEST_UNKNOWN|not found)/
    await eventually(async () => (await waiting()).includes('ImagePullBackOff'), waiting)
    assert.match(await waiting(), reason)
    const vm = await machine.getJson('vm', 'wrong-tag')
    // Keeps the first of both reasons, which alternate.
    assert.equal(textAt(vm, 'status.printableStatus'), 'ErrImagePull')
    assert.match(JSON.stringify(vm['status']), reason)
    assert.match(await podEvents('v9'), /Failed: Failed to pull image/)
  })

  /** Reads the serial console of a guest until it shows a text. */
  async function readsOnConsole(name: string, wanted: string): Promise<void> {
    const console = openStream(machine, `virtualmachineinstances/${name}/console`)
    let text = ''
    await new Promise<void>((resolve, reject) => {
      console.on('error', reject)
      console.on('message', (data: Buffer) => {
        text += data.toString()
        if (text.includes(wanted)) resolve()
      })
    })
    console.terminate()
  }
})

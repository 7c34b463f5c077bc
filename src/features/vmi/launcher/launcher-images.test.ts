import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { kubeVirts, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { Client } from '#client/client.ts'
import { startTestCluster, until } from '#features/cluster.fixture.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { launcherPodOf } from './launcher-pod.ts'

const vmi: VirtualMachineInstance = {
  metadata: { name: 'web', namespace: 'default', uid: 'u1' },
  spec: {
    domain: {
      devices: {},
      memory: { guest: '64Mi' },
      firmware: { kernelBoot: { container: { image: 'kernel:1', kernelPath: '/boot/vmlinuz', initrdPath: 'boot/initrd' } } },
    },
    volumes: [
      { name: 'root', containerDisk: { image: 'os:1', imagePullPolicy: 'Always' } },
      { name: 'data', containerDisk: { image: 'data:1', path: '/images/it is.qcow2' } },
    ],
  },
}

function podOf(imageVolumes: boolean): Pod {
  return launcherPodOf(vmi, { image: 'launcher:1', inContainer: true, imageVolumes, config: defaultClusterConfig })
}

function computeMounts(pod: Pod): unknown {
  return pod.spec.containers[0]?.volumeMounts?.filter(({ mountPath }) => mountPath.startsWith('/run/kubevirt/images'))
}

suite('images of a guest', () => {
  test('are volumes of the pod', () => {
    const { initContainers, volumes } = podOf(true).spec
    assert.equal(initContainers, undefined)
    assert.deepEqual(
      volumes?.filter(({ image }) => image),
      [
        { name: 'disk-root', image: { reference: 'os:1', pullPolicy: 'Always' } },
        { name: 'disk-data', image: { reference: 'data:1' } },
        { name: 'kernel-boot', image: { reference: 'kernel:1' } },
      ],
    )
  })

  test('are pulled with the secrets that they name', () => {
    const volumes = ['a', 'b', 'a', undefined].map((imagePullSecret, index) => ({
      name: `disk-${index}`,
      containerDisk: { image: 'os:1', ...(imagePullSecret === undefined ? {} : { imagePullSecret }) },
    }))
    const boot = { container: { image: 'kernel:1', kernelPath: '/k', imagePullSecret: 'c' } }
    const { domain } = vmi.spec
    const spec = { ...vmi.spec, volumes, domain: { ...domain, firmware: { kernelBoot: boot } } }
    const options = { image: 'launcher:1', inContainer: true, config: defaultClusterConfig }
    assert.deepEqual(launcherPodOf({ ...vmi, spec }, options).spec.imagePullSecrets, [{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    assert.equal(podOf(true).spec.imagePullSecrets, undefined)
  })

  test('are copied to the same paths by unprivileged containers, where there are no image volumes', () => {
    const [pod, withVolumes] = [podOf(false), podOf(true)]
    assert.deepEqual(computeMounts(pod), computeMounts(withVolumes))
    const { initContainers = [], volumes = [] } = pod.spec
    assert.deepEqual(
      initContainers.map(({ name, image, imagePullPolicy }) => [name, image, imagePullPolicy]),
      [
        ['tools', 'launcher:1', undefined],
        ['disk-root', 'os:1', 'Always'],
        ['disk-data', 'data:1', undefined],
        ['kernel-boot', 'kernel:1', undefined],
      ],
    )
    for (const name of initContainers.map((container) => container.name))
      assert.deepEqual(
        volumes.find((volume) => volume.name === name),
        { name, emptyDir: {} },
      )
    for (const { securityContext } of initContainers)
      assert.deepEqual(securityContext, { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } })
  })

  test('are limited where the launcher is, for quotas and the class Guaranteed', () => {
    const limited = { ...vmi, spec: { ...vmi.spec, domain: { ...vmi.spec.domain, resources: { limits: { cpu: '1', memory: '1Gi' } } } } }
    const options = { image: 'l', inContainer: true, imageVolumes: false, config: defaultClusterConfig }
    for (const { resources } of launcherPodOf(limited, options).spec.initContainers ?? []) {
      assert.notEqual(resources?.limits, undefined)
      assert.deepEqual(resources?.limits, resources?.requests)
    }
  })

  for (const [name, files, copied] of [
    ['disk-root', ['disk/a.qcow2', 'disk/deep/b', 'etc/passwd'], ['disk/a.qcow2', 'disk/deep/b']],
    ['disk-data', ['images/it is.qcow2', 'images/other'], ['images/it is.qcow2']],
    ['kernel-boot', ['boot/vmlinuz', 'boot/initrd', 'boot/config'], ['boot/initrd', 'boot/vmlinuz']],
  ] as const) {
    test(`${name}: the command copies exactly the files that the guest needs`, () => {
      using image = folderWith(files)
      assert.deepEqual(image.copy(container(name)), { copied, output: '' })
    })
  }

  test('that lack a file end the container with the reason', () => {
    using image = folderWith(['boot/vmlinuz'])
    const { output } = image.copy(container('kernel-boot'))
    assert.match(output, /cp: can't stat '.*boot\/initrd': No such file or directory/)
  })
})

function container(name: string): Container {
  return podOf(false).spec.initContainers?.find((one) => one.name === name) ?? assert.fail(`no container ${name}`)
}

interface Image extends Disposable {
  /** Runs the command of an init container with this folder as its root. */
  copy(container: Container): { readonly copied: readonly string[]; readonly output: string }
}

function folderWith(files: readonly string[]): Image {
  const root = mkdtempSync(join(tmpdir(), 'image-'))
  const target = join(root, 'target')
  mkdirSync(target)
  for (const file of files) {
    mkdirSync(join(root, 'image', file, '..'), { recursive: true })
    writeFileSync(join(root, 'image', file), file)
  }
  const list = (folder: string): string[] =>
    execFileSync('find', ['.', '-type', 'f', '-printf', '%P\n'], { cwd: folder, encoding: 'utf8' }).split('\n').filter(Boolean).toSorted()
  return {
    copy({ command = [], volumeMounts = [] }) {
      const own = volumeMounts.find(({ readOnly }) => readOnly !== true)?.mountPath ?? ''
      const [, sh = '', c = '', script = '', zero = '', , , ...paths] = command
      assert.equal(command[6], own)
      const inImage = paths.map((path) => `.${path}`)
      let output = ''
      try {
        execFileSync('busybox', [sh, c, script, zero, 'busybox', `${target}/`, ...inImage], { cwd: join(root, 'image'), stdio: 'pipe' })
      } catch (error) {
        output = String((error as { stderr?: Buffer }).stderr)
      }
      const copied = list(target)
      for (const file of copied) assert.equal(readFileSync(join(target, file), 'utf8'), file)
      return { copied, output }
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  }
}

/** Answers as an API server with the feature gate `ImageVolume` off. */
function withoutImageVolumes(client: Client): Client {
  return {
    ...client,
    create: async (resource, object, options) => {
      if (resource.kind !== 'Pod') return client.create(resource, object, options)
      const { spec } = object as Pod
      const volumes = spec.volumes?.filter(({ image }) => image === undefined) ?? []
      const known = new Set(volumes.map(({ name }) => name))
      const containers = spec.containers.map((one) => ({
        ...one,
        volumeMounts: one.volumeMounts?.filter(({ name }) => known.has(name)) ?? [],
      }))
      const pod: Pod = { ...(object as Pod), spec: { ...spec, volumes, containers } }
      return client.create(resource, pod as typeof object, options)
    },
  }
}

suite('a cluster', () => {
  const cases: readonly (readonly [string, boolean, object, boolean])[] = [
    ['with image volumes: they are used', true, {}, true],
    ['without image volumes: files are copied', false, {}, false],
    ['whose runtimes have none, and is configured so: files are copied', true, { disabledFeatureGates: ['ImageVolume'] }, false],
  ]
  for (const [title, exists, developerConfiguration, used] of cases) {
    test(title, { timeout: 60_000 }, async () => {
      await using cluster = await startTestCluster({ inContainer: true })
      const { client } = cluster
      await client.create(kubeVirts, {
        metadata: { name: 'kubevirt', namespace: 'kubevirt' },
        spec: { configuration: { developerConfiguration } },
      })
      await client.create(nodes, { metadata: { name: 'n0', labels: { 'steadyvm.io/accelerator': 'tcg' } }, spec: {}, status: {} })
      cluster.start('virt-controller', exists ? undefined : withoutImageVolumes)
      await client.create(virtualMachineInstances, { metadata: { name: 'web', namespace: 'default' }, spec: vmi.spec })
      const pod = await until(async () => (await client.list<Pod>(pods, { namespace: 'default' })).items[0])
      assert.equal(pod.spec.initContainers === undefined, used)
      assert.equal(
        pod.spec.volumes?.some(({ image }) => image !== undefined),
        used,
      )
    })
  }
})

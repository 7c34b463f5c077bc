// Takes longer than 45 s: a guest is customized over SSH, and runs that are killed begin again.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { podNetworkObstacle } from '#machine/network/pod-network.ts'
import { longTest, repeats, seed } from '../support/effort.ts'
import { openStream } from '../support/guests/guest-streams.ts'
import { bootText, makeBootDisk } from '../support/images/boot-disk.ts'
import { startFileServer, type FileServer } from '../support/images/file-server.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, repository, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { demoKernelArguments } from '../support/manifests.ts'
import { useNamespace } from '../support/namespaces.ts'
import { addressForPods, machineModeOnly, shellImage } from '../support/place.ts'

const pipelines = join(repository, 'manifests', 'tekton', 'pipelines')
/** As long as the text of the boot disk, in whose place a guest writes it. */
const customText = 'customized in a guest'

/** A task whose step runs a script. */
const scripted = (name: string, script: string, more: object = {}): object => ({
  name,
  taskSpec: {
    workspaces: [{ name: 'log', optional: true }],
    results: [{ name: 'said' }],
    steps: [{ name: 'run', image: shellImage, script }],
  },
  ...more,
})

/** A pipeline whose tasks each leave a line in a volume, which survives them. */
const counted = (after = ''): string => {
  const workspaces = [{ name: 'log' }]
  const leave = (name: string): string => `echo ${name} >>$(workspaces.log.path)/lines; printf %s ${name} >$(results.said.path)`
  const spec = {
    workspaces,
    tasks: [
      scripted('one', leave('one'), { workspaces }),
      scripted('two', `${leave('two')}; ${after}`, { workspaces, runAfter: ['one'] }),
      scripted('three', leave('three'), { workspaces, runAfter: ['two'] }),
    ],
    finally: [scripted('last', `${leave('last')}; cp $(workspaces.log.path)/lines $(results.said.path)`, { workspaces })],
    results: [{ name: 'lines', value: '$(finally.last.results.said)' }],
  }
  return JSON.stringify({ apiVersion: 'tekton.dev/v1', kind: 'Pipeline', metadata: { name: 'counted' }, spec })
}

suite('pipelines without Tekton', { skip: noKubectl }, () => {
  let machine: TestMachine
  let folder: string
  let server: FileServer

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pipelines-'))
    await makeBootDisk(join(folder, 'boot.qcow2'))
    machine = await useNamespace()
    server = await startFileServer(folder, { address: await addressForPods(machine.kubeconfig) })
    const { stdout } = await machine.steadyvm('task', 'access')
    await machine.kubectl(['apply', '-f', '-'], stdout)
  })
  after(async () => {
    await machine[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  /** Runs a command in the namespace of the test, and returns what it printed. */
  async function run(wanted: number, ...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
    const { code, stdout, stderr } = await machine.steadyvm(...args, '-n', machine.namespace)
    assert.equal(code, wanted, `steadyvm ${args.join(' ')}: ${stdout}${stderr}`)
    return { stdout, stderr }
  }
  async function write(name: string, content: string): Promise<string> {
    await writeFile(join(folder, name), content)
    return join(folder, name)
  }
  async function makeClaim(name: string): Promise<void> {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } }
    await machine.kubectl(
      ['create', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec }),
    )
  }
  /** Returns the tasks of the pods of a run, sorted. */
  async function podsOf(name: string): Promise<readonly string[]> {
    const { items } = (await machine.getJson('pod', '-l', `steadyvm.io/pipeline-run=${name}`)) as unknown as { items: readonly KubeJson[] }
    return items
      .map((pod) => (pod['metadata'] as unknown as { labels: Record<string, string> }).labels['steadyvm.io/pipeline-task'] ?? '')
      .toSorted()
  }

  test('a golden image of Linux is imported, customized, sealed and published', { skip: podNetworkObstacle() ?? false }, async () => {
    const options = ['user:root', 'disable-strict-host-key-checking:true'].flatMap((option) => [
      '-p',
      `privateKeyConnectionOptions=${option}`,
    ])
    const names = ['-p', 'publicKeySecretName=golden-public', '-p', 'privateKeySecretName=golden-private']
    await run(0, 'task', 'run', 'generate-ssh-keys', ...names, ...options, '-p', 'additionalSSHKeygenOptions=-t ed25519')
    const container = { image: 'steadyvm.io/demo-guest:v1', kernelPath: '/boot/vmlinuz', initrdPath: '/boot/initrd-ssh' }
    const parameters = {
      name: 'golden',
      size: '32Mi',
      source: JSON.stringify({ http: { url: `${server.url}/boot.qcow2` } }),
      firmware: JSON.stringify({ kernelBoot: { container, kernelArgs: demoKernelArguments } }),
      instanceTypeName: 'u1.nano',
      // The text begins behind the code of the boot sector.
      customizeScript: `printf '${customText}' | dd of=/dev/vda bs=1 seek=27 conv=notrunc`,
      sealScript: `dd if=/dev/vda bs=1 skip=27 count=${customText.length}; sync`,
    }
    assert.equal(customText.length, bootText.length)
    const flags = Object.entries(parameters).flatMap(([key, value]) => ['-p', `${key}=${value}`])
    const file = join(pipelines, 'linux-golden-image.yaml')
    const { stdout, stderr } = await run(0, 'pipeline', 'run', file, '--name', 'golden', '-o', 'json', ...flags)
    assert.match(stderr, new RegExp(`\\[seal : step-cleanup-vm\\] ${customText}`))
    const { status, results } = JSON.parse(stdout) as { status: string; results: object }
    assert.deepEqual([status, results], ['Completed', { dataSource: 'golden', namespace: machine.namespace }])
    assert.equal((await machine.tryKubectl(['get', 'vm', 'golden-builder'])).code, 1)

    await run(0, 'vm', 'create', 'web', '--image', 'golden')
    const console = openStream(machine, 'virtualmachineinstances/web/console')
    let text = ''
    console.on('message', (data: Buffer) => (text += data.toString()))
    await eventually(
      () => text.includes(customText),
      () => `the guest prints ${JSON.stringify(text.slice(-200))}`,
    )
    console.terminate()
    assert.doesNotMatch(text, new RegExp(bootText))
    assert.match(JSON.stringify((await machine.getJson('vm', 'web'))['status']), /u1\.nano/)
    await run(0, 'stop', 'web', '--force', '--grace-period', '0')
  })

  /** Returns the file of a pipeline for Windows in which our guest takes the place of Windows. */
  async function withDemoGuest(name: string): Promise<string> {
    const container = { image: 'steadyvm.io/demo-guest:v1', kernelPath: '/boot/vmlinuz', initrdPath: '/boot/initrd' }
    const firmware = `firmware: ${JSON.stringify({ kernelBoot: { container, kernelArgs: demoKernelArguments } })}`
    const text = await readFile(join(pipelines, `${name}.yaml`), 'utf8')
    const changed = text.replace('                  domain:\n', `                  domain:\n                    ${firmware}\n`)
    assert.notEqual(changed, text)
    return write(`${name}.yaml`, changed)
  }
  /**
   * Runs a pipeline, and lets the guest of its VM do what Windows does at the end of its set-up.
   */
  async function runWithGuest(
    vm: string,
    command: string,
    ...args: readonly string[]
  ): Promise<{ status: string; results: object; said: string }> {
    const running = run(0, ...args, '-o', 'json')
    const act = async (): Promise<string> => {
      await machine.kubectl(['wait', `vmi/${vm}`, '--for=create', '--timeout=240s'])
      return machine.inGuest(`${command}; (sleep 1; poweroff -f) >/dev/null 2>&1 &`, vm)
    }
    const [{ stdout }, said] = await Promise.all([running, act()])
    return { ...(JSON.parse(stdout) as { status: string; results: object }), said }
  }

  longTest('the pipelines for Windows install and customize a disk, with our guest in place of Windows', async () => {
    await machine.addImage('drivers:test', async (image) => {
      await mkdir(join(image, 'disk'), { recursive: true })
      await writeFile(join(image, 'disk', 'drivers.raw'), Buffer.alloc(1 << 20))
    })
    const hardware = ['instanceTypeName=u1.nano', 'preferenceName=linux', 'diskSize=16Mi']
    const flags = (...params: readonly string[]): string[] => [...hardware, ...params].flatMap((param) => ['-p', param])
    const answers = join(pipelines, 'windows-config-maps.yaml')
    const installed = await runWithGuest(
      'win-installer',
      'printf installed | dd of=/dev/vda conv=notrunc 2>/dev/null; sync',
      'pipeline',
      'run',
      await withDemoGuest('windows-efi-installer'),
      ...flags(`winImageDownloadURL=${server.url}/boot.qcow2`, 'acceptEula=true', 'baseDvName=win', 'isoDVName=win-iso', 'isoSize=16Mi'),
      ...flags('useBiosMode=true', 'virtioContainerDiskName=drivers:test', `autounattendConfigMaps=@${answers}`).slice(2 * hardware.length),
    )
    const { namespace } = machine
    assert.deepEqual(installed, { ...installed, status: 'Completed', results: { baseDvName: 'win', baseDvNamespace: namespace } })
    assert.equal((await machine.tryKubectl(['get', 'dv', 'win-iso'])).code, 1)
    const customized = await runWithGuest(
      'custom-builder',
      'dd if=/dev/vda bs=9 count=1 2>/dev/null; sync',
      'pipeline',
      'run',
      await withDemoGuest('windows-customize'),
      ...flags('sourceDiskImageName=win', 'baseDvName=custom'),
    )
    assert.match(customized.said, /^installed/)
    assert.deepEqual(customized.results, { baseDvName: 'custom', baseDvNamespace: namespace })
    const labels = (await machine.getJson('datasource', 'custom'))['metadata']?.['labels'] as unknown as Record<string, string>
    assert.equal(labels['instancetype.kubevirt.io/default-instancetype'], 'u1.nano')
    assert.equal((await machine.tryKubectl(['get', 'vm', 'custom-builder'])).code, 1)
  })

  test('a step that fails ends the run with its message, and finally runs', async () => {
    await makeClaim('failing')
    const file = await write('failing.json', counted('echo no room >&2; exit 3'))
    const { stdout, stderr } = await run(1, 'pipeline', 'run', file, '--name', 'failing', '-w', 'log=claim:failing')
    assert.match(stderr, /\[two : step-run\] no room/)
    assert.match(stderr, /task two failed .*container "step-run" ended with exit code 3/)
    assert.match(stderr, /task three is skipped: another task has failed/)
    assert.equal(
      stdout.trim(),
      String.raw`lines   one
two
last`,
    )
    assert.deepEqual(await podsOf('failing'), ['last', 'one', 'two'])
    // The same command again only tells what has happened.
    assert.match((await run(1, 'pipeline', 'run', file, '--name', 'failing', '-w', 'log=claim:failing')).stderr, /has ended before/)
    assert.match((await run(3, 'pipeline', 'run', file, '--name', 'failing', '-w', 'log=emptydir')).stderr, /its workspaces differ/)
  })

  const hasRegistries = machineModeOnly('a cluster pulls images')
  test('an image that this machine does not have is refused before anything is created', { skip: hasRegistries }, async () => {
    const spec = { tasks: [{ name: 'a', taskSpec: { steps: [{ name: 's', image: 'docker.io/library/alpine:3', script: 'true' }] } }] }
    const file = await write(
      'alpine.json',
      JSON.stringify({ apiVersion: 'tekton.dev/v1', kind: 'Pipeline', metadata: { name: 'alpine' }, spec }),
    )
    const { stderr } = await run(1, 'pipeline', 'run', file, '--name', 'alpine')
    assert.match(stderr, /The task "a" cannot run on this machine: step "s": Cannot find image "docker\.io\/library\/alpine:3"/)
    assert.equal((await machine.tryKubectl(['get', 'cm', 'alpine'])).code, 1)
  })

  test(`a run whose runner is killed is completed by another one, and nothing is done twice (seed ${seed})`, async () => {
    const file = await write('counted.json', counted())
    for (let index = 0; index < repeats({ default: 1, long: 10 }); index++) {
      const name = `counted-${index}`
      await makeClaim(name)
      const args = ['pipeline', 'run', file, '--name', name, '-w', `log=claim:${name}`]
      const kills = await killUntilDone([...args, '-n', machine.namespace], (seed * 7 + index * 3) % 5)
      assert.ok(kills > 0)
      const { stdout } = await run(0, ...args)
      assert.equal(stdout.trim(), 'lines   one\ntwo\nthree\nlast')
      assert.deepEqual(await podsOf(name), ['last', 'one', 'three', 'two'])
      await run(0, 'pipeline', 'delete', name)
      await machine.kubectl(['wait', 'pod', '-l', `steadyvm.io/pipeline-run=${name}`, '--for=delete', '--timeout=60s'])
    }
  })

  /**
   * Starts runners, and kills each one after it has said something more: the first after `lines`
   * lines, the next after one more than it, until one comes to its end. Returns how many were
   * killed.
   */
  async function killUntilDone(args: readonly string[], lines: number): Promise<number> {
    for (let kills = 0; ; kills++) {
      const child = spawn(join(repository, 'bin', 'steadyvm'), args, { env: machine.env, stdio: ['ignore', 'ignore', 'pipe'] })
      let said = 0
      child.stderr.on('data', (data: Buffer) => {
        said += data.toString().split('\n').length - 1
        if (said > lines + kills) child.kill('SIGKILL')
      })
      const [code] = (await once(child, 'exit')) as [number | null]
      if (code !== null) return kills
    }
  }

  test('Ctrl-C ends what runs, and finally runs', async () => {
    const file = await write('slow.json', counted('sleep 600'))
    await makeClaim('slow')
    const args = ['pipeline', 'run', file, '--name', 'slow', '-w', 'log=claim:slow', '-n', machine.namespace]
    const child = spawn(join(repository, 'bin', 'steadyvm'), args, { env: machine.env, stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (data: Buffer) => {
      const isTime = !said.includes('task two runs')
      said += data.toString()
      // A second one would end the runner itself.
      if (isTime && said.includes('task two runs')) child.kill('SIGINT')
    })
    const [code] = (await once(child, 'exit')) as [number | null]
    assert.equal(code, 1, said)
    assert.match(said, /task last succeeded/)
    assert.match(said, /run .*\/slow Cancelled: 2 of 4 tasks succeeded/)
    const runs = JSON.parse((await run(0, 'pipeline', 'list', '-o', 'json')).stdout) as { runs: readonly KubeJson[] }
    assert.equal(textAt(runs.runs.find((each) => textAt(each, 'name') === 'slow') as KubeJson, 'status'), 'Cancelled')
  })
})

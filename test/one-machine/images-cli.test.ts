import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { openStream } from '../support/guests/guest-streams.ts'
import { bootText, makeBootDisk } from '../support/images/boot-disk.ts'
import { startFileServer, type FileServer } from '../support/images/file-server.ts'
import { noKubectl } from '../support/kubectl.ts'
import { textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { useNamespace } from '../support/namespaces.ts'
import { addressForPods } from '../support/place.ts'

const rows = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s{2,}/))

suite('disk images in the CLI', { skip: noKubectl }, () => {
  let machine: TestMachine
  let folder: string
  let server: FileServer
  let checksum: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'images-cli-'))
    await makeBootDisk(join(folder, 'boot.qcow2'))
    checksum = `sha256:${createHash('sha256')
      .update(await readFile(join(folder, 'boot.qcow2')))
      .digest('hex')}`
    machine = await useNamespace()
    server = await startFileServer(folder, { address: await addressForPods(machine.kubeconfig) })
  })
  after(async () => {
    await machine[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  /** Runs a command in the namespace of the test. Returns what it printed. */
  async function run(wanted: number, ...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
    const { code, stdout, stderr } = await machine.steadyvm(...args, '-n', machine.namespace)
    assert.equal(code, wanted, `steadyvm ${args.join(' ')}: ${stdout}${stderr}`)
    return { stdout, stderr }
  }

  test('an image of a web server is imported with its checksum, and listed', async () => {
    const hardware = ['--default-instancetype', 'u1.nano', '--default-preference', 'linux']
    const args = ['images', 'import', 'golden', `${server.url}/boot.qcow2`, '--size', '32Mi', '--checksum', checksum, ...hardware]
    assert.match((await run(0, ...args)).stdout, /^datasource\.cdi\.kubevirt\.io\/golden imported$/m)
    // The same command finds the import that is there.
    await run(0, ...args)
    const [header = [], row = []] = rows((await run(0, 'images', 'list')).stdout)
    assert.deepEqual(header, ['NAME', 'IMAGE', 'SIZE', 'PHASE', 'DIGEST', 'AGE'])
    assert.deepEqual(row.slice(0, 5), ['golden', 'pvc/golden', '32Mi', 'Ready', checksum.slice(0, 19)])
    assert.match((await run(0, 'images', 'verify')).stdout, /golden +ok +complete; sha256:/)
    assert.match(
      (await run(1, 'images', 'import', 'golden', `${server.url}/other.qcow2`)).stderr,
      /is another image: it has another source/,
    )
  })

  test('a file of this machine is uploaded', async () => {
    await run(0, 'images', 'import', 'sent', join(folder, 'boot.qcow2'), '--checksum', checksum)
    const { images } = JSON.parse((await run(0, 'images', 'list', '-o', 'json')).stdout) as { images: readonly KubeJson[] }
    const sent = images.find((each) => textAt(each, 'name') === 'sent')
    assert.deepEqual([textAt(sent as KubeJson, 'digest'), textAt(sent as KubeJson, 'size')], [checksum, '1Mi'])
    const wrong = `sha256:${'0'.repeat(64)}`
    assert.match((await run(1, 'images', 'import', 'no', join(folder, 'boot.qcow2'), '--checksum', wrong)).stderr, /it has sha256:/)
  })

  test('a VM is created from an image with the hardware of its labels, and boots', async () => {
    const printed = (await run(0, 'vm', 'create', 'web', '--image', 'golden', '--dry-run')).stdout
    assert.match(printed, /inferFromVolume: root/)
    for (const more of [['--dry-run'], []]) {
      const absent = await run(1, 'vm', 'create', 'no', '--image', 'golden', '--type', 'u1.none', ...more)
      assert.match(absent.stderr, /There is no VirtualMachineClusterInstancetype "u1\.none"/)
    }
    await run(0, 'vm', 'create', 'web', '--image', 'golden')
    const console = openStream(machine, 'virtualmachineinstances/web/console')
    let text = ''
    await new Promise<void>((resolve, reject) => {
      console.on('error', reject)
      console.on('message', (data: Buffer) => {
        text += data.toString()
        if (text.includes(bootText)) resolve()
      })
    })
    console.terminate()
    const vm = await machine.getJson('vm', 'web')
    assert.match(JSON.stringify(vm['status']), /u1\.nano/)
  })

  test('an image in use is kept, and goes when it is free', async () => {
    const { stderr } = await run(3, 'images', 'rm', 'golden', 'sent')
    assert.match(stderr, new RegExp(`VM "${machine.namespace}/web" makes its disk from it`))
    await machine.kubectl(['get', 'datasource', 'golden', 'sent'])
    // A boot sector does not know the power button.
    await run(0, 'stop', 'web', '--force', '--grace-period', '0')
    await machine.kubectl(['delete', 'vm', 'web', '--timeout=60s'])
    await run(0, 'images', 'rm', 'golden', 'sent')
    await machine.kubectl(['wait', 'datasource,dv,pvc', '--all', '--for=delete', '--timeout=40s'])
  })

  test('an import that cannot work fails with the reason, and is a finding', async () => {
    const { stderr } = await run(
      1,
      'images',
      'import',
      'wrong',
      `${server.url}/boot.qcow2`,
      '--size',
      '32Mi',
      '--checksum',
      `sha256:${'0'.repeat(64)}`,
    )
    assert.match(stderr, new RegExp(checksum.slice('sha256:'.length)))
    assert.match((await run(2, 'images', 'verify', 'wrong')).stdout, /Incomplete/)
    assert.match((await run(1, 'images', 'history', 'wrong')).stderr, /No DataImportCron keeps/)
    await run(0, 'images', 'rm', 'wrong')
  })
})

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { signalProcess } from '#machine/supervisor/processes.ts'
import { eventually, startMachine } from '../support/machine.ts'
import { noKubectl } from '../support/kubectl.ts'
import { testClusterHome } from '../support/place.ts'

const program = fileURLToPath(new URL('../../bin/steadyvm', import.meta.url))
const mebibytes = 384

test('an upload continues when its worker, its proxies and its client are killed in the middle', { skip: noKubectl }, async () => {
  await using machine = await startMachine()
  const folder = await mkdtemp(join(tmpdir(), 'upload-'))
  const path = join(folder, 'disk.raw')
  const hash = createHash('sha256')
  {
    await using file = await open(path, 'w')
    for (let written = 0; written < mebibytes; written += 4) {
      const part = randomBytes(4 << 20)
      hash.update(part)
      await file.write(part)
    }
  }
  const checksum = `sha256:${hash.digest('hex')}`
  let said = ''
  const begin = (): ChildProcess => {
    const client = spawn(program, ['images', 'import', 'big', path, '--checksum', checksum, '--timeout', '400'], { env: machine.env })
    for (const stream of [client.stdout, client.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()))
    return client
  }
  const percent = async (): Promise<number> => {
    const { stdout } = await machine.tryKubectl(['get', 'dv', 'big', '-o', 'jsonpath={.status.progress}'])
    return Number.parseFloat(stdout) || 0
  }
  const kill = (role: string): void => {
    const found = machine.processes().filter((one) => one.role === role)
    assert.ok(found.length > 0, `there is no ${role}`)
    for (const one of found) signalProcess(one, 'SIGKILL')
  }
  const reach = (wanted: number): Promise<void> =>
    eventually(
      async () => (await percent()) >= wanted,
      () => said,
    )
  try {
    let client = begin()
    await reach(20)
    kill('importer')
    // The next run has to begin where the last note was, and not at zero.
    await eventually(
      async () => said.includes('the upload is continued'),
      () => said,
    )
    await reach(35)
    kill('virt-api')
    await reach(50)
    // On a cluster, no data of an upload goes through the API server.
    if (testClusterHome === undefined) kill('apiserver')
    await reach(65)
    client.kill('SIGKILL')
    if (client.exitCode === null && client.signalCode === null) await once(client, 'exit')
    client = begin()
    const [code] = (await once(client, 'exit')) as [number | null]
    assert.equal(code, 0, said)
    // The worker has compared the digest of what is on the disk.
    assert.equal(await machine.kubectl(['get', 'dv', 'big', '-o', 'jsonpath={.status.phase}']), 'Succeeded')
  } finally {
    await rm(folder, { recursive: true })
  }
})

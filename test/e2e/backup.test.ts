// Takes longer than 45 s: it boots a guest three times around a restore.
import assert from 'node:assert/strict'
import { rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { powerButtonVirtualMachine } from '../support/manifests.ts'
import { eventually, startMachine, textAt } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'

test(
  'a backup of a running cluster brings objects and guests back after the database is damaged',
  { skip: machineModeOnly('backs up the database of machine mode') },
  async () => {
    await using machine = await startMachine()
    const file = join(machine.home, 'cache', 'backup.tar')
    await machine.kubectl(['apply', '-f', '-'], powerButtonVirtualMachine(machine, 'kept'))
    await machine.kubectl(['wait', 'vm/kept', '--for=condition=Ready', '--timeout=120s'])
    const uid = textAt(await machine.getJson('vm/kept'), 'metadata.uid')
    const backup = await machine.steadyvm('backup', file)
    assert.equal(backup.code, 0, backup.stderr)
    assert.match(backup.stdout, /^Backed up \d+ objects at resourceVersion \d+ to /)
    await machine.kubectl(['create', 'configmap', 'later', '--from-literal=a=b'])

    const refused = await machine.steadyvm('restore', file)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /steadyvm down/)
    assert.equal((await machine.steadyvm('backup', file)).code, 1)

    assert.equal((await machine.steadyvm('down', '--timeout', '5')).code, 0)
    const database = join(machine.home, 'apiserver', 'state.db')
    for (const suffix of ['-wal', '-shm']) await rm(`${database}${suffix}`, { force: true })
    await truncate(database, Math.floor((await stat(database)).size / 2))
    const damaged = await machine.steadyvm('up', '--wait', 'api')
    assert.match(damaged.stderr, /steadyvm restore FILE/)
    assert.equal((await machine.steadyvm('down')).code, 0)

    const restored = await machine.steadyvm('restore', file)
    assert.equal(restored.code, 0, restored.stderr)
    const up = await machine.steadyvm('up')
    assert.equal(up.code, 0, up.stderr)
    assert.equal(textAt(await machine.getJson('vm/kept'), 'metadata.uid'), uid)
    assert.notEqual((await machine.tryKubectl(['get', 'configmap', 'later'])).code, 0)
    const guests = (): number => machine.processes().filter(({ role }) => role === 'compute').length
    await eventually(
      async () => guests() === 1 && textAt(await machine.getJson('vm/kept'), 'status.printableStatus') === 'Running',
      async () => `${guests()} guests run; VM "kept" is ${textAt(await machine.getJson('vm/kept'), 'status.printableStatus')}`,
      120_000,
    )
  },
)

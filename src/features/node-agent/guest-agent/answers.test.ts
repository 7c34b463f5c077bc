import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { GuestAgentRefusal, type GuestAgent } from '#qemu/index.ts'
import { queryFacts, queryFileSystems, queryGuestInfo, queryUsers } from './answers.ts'

function agent(answers: Readonly<Record<string, unknown>>): GuestAgent {
  return {
    execute: (command) =>
      command in answers ? Promise.resolve(answers[command]) : Promise.reject(new GuestAgentRefusal(`"${command}" is not here`)),
    [Symbol.dispose]: () => {},
  }
}

const names = [
  'guest-get-osinfo',
  'guest-get-host-name',
  'guest-get-timezone',
  'guest-get-users',
  'guest-get-fsinfo',
  'guest-fsfreeze-status',
]
const users = [
  { user: 'root', 'login-time': 1.5 },
  { user: 'eve', domain: 'D' },
]
const disks = [
  {
    name: 'vda1',
    mountpoint: '/',
    type: 'ext4',
    'used-bytes': 10,
    'total-bytes': 20,
    disk: [{ serial: 'S', 'bus-type': 'virtio', unit: 0 }],
  },
]
const full = {
  'guest-info': {
    version: '7.2.0',
    supported_commands: [...names.map((name) => ({ name, enabled: true })), { name: 'guest-exec', enabled: false }],
  },
  'guest-get-osinfo': {
    name: 'Debian',
    'kernel-release': '6.1',
    'pretty-name': 'Debian 12',
    'version-id': '12',
    machine: 'x86_64',
    id: 'debian',
  },
  'guest-get-host-name': { 'host-name': 'web' },
  'guest-get-timezone': { zone: 'UTC', offset: 0 },
  'guest-get-users': users,
  'guest-get-fsinfo': disks,
  'guest-fsfreeze-status': 'thawed',
}

test('queryGuestInfo() returns the fields of KubeVirt', async () => {
  const userList = [
    { userName: 'root', loginTime: 1.5 },
    { userName: 'eve', domain: 'D' },
  ]
  const items = [
    {
      diskName: 'vda1',
      mountPoint: '/',
      fileSystemType: 'ext4',
      usedBytes: 10,
      totalBytes: 20,
      disk: [{ serial: 'S', busType: 'virtio' }],
    },
  ]
  assert.deepEqual(await queryGuestInfo(agent(full)), {
    guestAgentVersion: '7.2.0',
    supportedCommands: [...names.map((name) => ({ name, enabled: true })), { name: 'guest-exec' }],
    hostname: 'web',
    os: { name: 'Debian', kernelRelease: '6.1', prettyName: 'Debian 12', versionId: '12', machine: 'x86_64', id: 'debian' },
    timezone: 'UTC, 0',
    userList,
    fsInfo: { disks: items },
    fsFreezeStatus: 'thawed',
  })
  assert.deepEqual(await queryUsers(agent(full)), { metadata: {}, items: userList })
  assert.deepEqual(await queryFileSystems(agent(full)), { metadata: {}, items })
})

test('a command that the guest refuses leaves its fields empty', async () => {
  const { 'guest-get-users': _, ...without } = full
  assert.ok(!('userList' in (await queryGuestInfo(agent(without)))))
  await assert.rejects(queryUsers(agent(without)), GuestAgentRefusal)
})

test('answers of any shape give a bounded body', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom('guest-info', ...names), fc.jsonValue()), fc.jsonValue(), async (answers, info) => {
      const supported = { version: info, supported_commands: names.map((name) => ({ name, enabled: true })) }
      const body = await queryGuestInfo(agent({ ...answers, 'guest-info': supported }))
      assert.ok(JSON.stringify(body).length < 1 << 20)
    }),
  )
})

test('queryFacts() returns what the status of a VMI shows, without what is no address', async () => {
  const interfaces = [
    { name: 'lo', 'hardware-address': '00:00:00:00:00:00', 'ip-addresses': [{ 'ip-address': '127.0.0.1' }] },
    {
      name: 'eth0',
      'hardware-address': '02:00:00:00:00:0A',
      'ip-addresses': [{ 'ip-address': '10.1.2.3' }, { 'ip-address': '$(reboot)' }],
    },
    { name: 'sit0' },
  ]
  const { os, interfaces: found } = await queryFacts(agent({ ...full, 'guest-network-get-interfaces': interfaces }))
  assert.equal(os.prettyName, 'Debian 12')
  assert.deepEqual(found, [{ name: 'eth0', mac: '02:00:00:00:00:0a', addresses: ['10.1.2.3'] }])
  assert.deepEqual(await queryFacts(agent({})), { os: {}, interfaces: [] })
})

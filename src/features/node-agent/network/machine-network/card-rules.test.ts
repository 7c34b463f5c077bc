import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { networkRules, noNetwork } from '#runtime/network/network-namespace.fixture.ts'
import { permit, revoke, type GuardedCard } from './card-rules.ts'

/** Runs commands of nft in a new network namespace, and lists what is there afterwards. */
const inNamespace = (commands: string): ReturnType<typeof spawnSync> =>
  spawnSync('unshare', ['--net', '/bin/sh', '-ec', 'nft -f -; nft -s list ruleset'], { input: commands })

test('revoke() removes everything that permit() adds, also what is there in part', { skip: noNetwork }, () => {
  const sender: GuardedCard = {
    tap: 'tap1',
    mac: '02:00:00:00:00:01',
    address: '10.77.1.1',
    ports: [
      { protocol: 'tcp', start: 80, end: 80 },
      { protocol: 'udp', start: 5000, end: 5010 },
    ],
  }
  const sets = (commands: string): string => {
    const { status, stdout, stderr } = inNamespace(networkRules + commands)
    assert.equal(status, 0, String(stderr))
    return String(stdout)
  }
  assert.match(sets(permit(sender)), /"tap1" : 0x0a4d0101/)
  assert.equal(sets(permit(sender) + permit(sender)), sets(permit(sender)))
  for (const before of ['', permit(sender), 'add element bridge pods senders { "tap1" . 02:00:00:00:00:01 }\n'])
    assert.equal(sets(before + revoke(sender)), sets(''))
})

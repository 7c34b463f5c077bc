import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { accessTo, nodeOf } from './device-access.ts'

suite('accessTo()', () => {
  const tun = { rdev: 0x0ac8, gid: 0 }
  const own = { node: { path: '/dev/x', type: 'character', major: 10, minor: 200 } }
  const cases = [
    ['needs nothing for a device of all users', { ...tun, mode: 0o20666 }, {}],
    ['joins the group of a device', { ...tun, gid: 107, mode: 0o20660 }, { group: 107 }],
    ['does not join the group of root', { ...tun, mode: 0o20660 }, own],
    ['does not join a group that only reads', { ...tun, gid: 107, mode: 0o20640 }, own],
    ["makes a node where only root may open the machine's", { ...tun, mode: 0o20600 }, own],
  ] as const
  for (const [name, facts, expected] of cases) test(name, () => assert.deepEqual(accessTo('/dev/x', facts), expected))
})

test('nodeOf() splits the number of a device as Linux does', () => {
  // Numbers of makedev(3).
  for (const [device, major, minor] of [
    [0x0801, 8, 1],
    [0x1_0300, 259, 0],
    [0x10_fd2c, 253, 300],
    [0x1000_0013_882c, 5000, 300],
  ] as const)
    assert.deepEqual(nodeOf('/dev/x', device, 'block'), { path: '/dev/x', type: 'block', major, minor })
})

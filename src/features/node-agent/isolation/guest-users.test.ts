import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { allocateUidRange, rangeSize } from '#runtime/isolation/uid-ranges.ts'
import { allocateGuestUser, type UserFolders } from './guest-users.ts'

suite('allocateGuestUser()', () => {
  let home = ''
  let folders: UserFolders
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'users-'))
    folders = { ranges: join(home, 'ranges'), users: join(home, 'users') }
  })
  afterEach(() => rmSync(home, { recursive: true }))

  test('gives each VM a user of its own, and the same one again', () => {
    const keys = Array.from({ length: 600 }, (_, index) => `default/vm-${index}`)
    const users = keys.map((key) => allocateGuestUser(folders, key))
    assert.equal(new Set(users).size, keys.length)
    assert.deepEqual(
      keys.map((key) => allocateGuestUser(folders, key)),
      users,
    )
  })
  test('never chooses a user of a namespace', () => {
    const before = allocateUidRange(folders.ranges, 'namespace')
    const user = allocateGuestUser(folders, 'default/web')
    const after = allocateUidRange(folders.ranges, 'other namespace')
    for (const first of [before, after]) assert.ok(user < first || user >= first + rangeSize, `${user} is in the range of ${first}`)
  })
  test('ignores what an agent left that was killed', () => {
    const user = allocateGuestUser(folders, 'default/web')
    const [claimed = ''] = readdirSync(folders.users)
    rmSync(join(folders.users, claimed))
    writeFileSync(join(folders.users, `${claimed}.dead`), 'default/web')
    assert.equal(allocateGuestUser(folders, 'default/web'), user)
  })
})

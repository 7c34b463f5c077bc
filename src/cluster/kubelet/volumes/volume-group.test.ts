import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, linkSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { giveToGroup } from './volume-group.ts'

const skip = process.getuid?.() === 0 ? false : 'changes groups, as only root may'

suite('giveToGroup()', { skip }, () => {
  test('opens all of a volume to the group, and nothing that is only linked there', async () => {
    const home = mkdtempSync(join(tmpdir(), 'volume-'))
    const volume = join(home, 'volume')
    mkdirSync(join(volume, 'sub'), { recursive: true })
    const write = (...path: string[]): void => {
      writeFileSync(join(home, ...path), 'x')
      chmodSync(join(home, ...path), 0o600)
    }
    write('outside')
    write('other')
    write('volume', 'disk.img')
    write('volume', 'sub', 'shared.img')
    chmodSync(join(volume, 'sub/shared.img'), 0o606)
    symlinkSync('../outside', join(volume, 'link'))
    linkSync(join(home, 'other'), join(volume, 'second-name'))
    execFileSync('mkfifo', [join(volume, 'pipe')])
    // Again, as after a crash.
    for (let time = 0; time < 2; time++) await giveToGroup(volume, 4242)
    const factsOf = (...path: string[]): readonly [number, string] => {
      const { gid, mode } = lstatSync(join(home, ...path))
      return [gid, (mode & 0o7777).toString(8)]
    }
    assert.deepEqual(
      [factsOf('volume'), factsOf('volume/sub')[0], factsOf('volume/disk.img'), factsOf('volume/sub/shared.img')],
      [[4242, '2770'], 4242, [4242, '660'], [4242, '666']],
    )
    for (const untouched of ['outside', 'other', 'volume/pipe']) assert.equal(factsOf(untouched)[0], 0, untouched)
    rmSync(home, { recursive: true })
  })
})

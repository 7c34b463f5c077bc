import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { newerQemu } from '../guest.fixture.ts'
import { QemuUnavailable, queryCapabilities } from './capabilities.ts'
import { findQemu, findQemuIn } from './find-qemu.ts'

suite('findQemuIn()', () => {
  test('uses only the QEMU of a given folder', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'release-'))
    t.after(() => rmSync(folder, { recursive: true }))
    await assert.rejects(findQemuIn(folder), QemuUnavailable)
    mkdirSync(join(folder, 'bin'))
    writeFileSync(join(folder, 'bin', 'qemu-system-x86_64'), '#!/bin/sh\n', { mode: 0o755 })
    assert.equal(await findQemuIn(folder), join(folder, 'bin', 'qemu-system-x86_64'))
  })

  test('finds two releases side by side, each with its own machines', { skip: newerQemu.skip }, async () => {
    const old = await queryCapabilities(await findQemu(process.env['PATH']), 'tcg')
    const newer = await queryCapabilities(await findQemuIn(newerQemu.folder), 'tcg')
    assert.notEqual(newer.version, old.version)
    assert.notEqual(newer.machineAliases['q35'], old.machineAliases['q35'])
    assert.ok(newer.machineTypes.includes(old.machineAliases['q35'] ?? ''))
  })
})

import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { filesOfMachine, MachineFileMissing } from './machine-files.ts'
import { parseLdd, sharedLibrariesOf } from './needed-libraries.ts'

test('files of the machine keep their links, and get the path behind a linked folder', async (t) => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'machine-')))
  t.after(() => rm(root, { recursive: true }))
  await mkdir(join(root, 'usr/lib/data'), { recursive: true })
  await symlink('usr/lib', join(root, 'lib'))
  await writeFile(join(root, 'usr/lib/libx.so.1.2'), '')
  await symlink('libx.so.1.2', join(root, 'usr/lib/libx.so.1'))
  await writeFile(join(root, 'usr/lib/data/secret'), '')
  await chmod(join(root, 'usr/lib/data/secret'), 0o4700)
  await chmod(join(root, 'usr/lib/data'), 0o700)
  const found = await filesOfMachine([join(root, 'lib/libx.so.1'), join(root, 'lib/data'), join(root, 'usr/lib/libx.so.1')])
  const place = (path: string): string => join(root, path).slice(1)
  assert.deepEqual(found, [
    { kind: 'link', path: place('usr/lib/libx.so.1'), target: 'libx.so.1.2' },
    { kind: 'copy', path: place('usr/lib/libx.so.1.2'), from: join(root, 'usr/lib/libx.so.1.2'), mode: 0o644 },
    { kind: 'directory', path: place('usr/lib/data'), mode: 0o755 },
    { kind: 'copy', path: place('usr/lib/data/secret'), from: join(root, 'usr/lib/data/secret'), mode: 0o755 },
  ])
  await assert.rejects(filesOfMachine([join(root, 'none')]), MachineFileMissing)
})

test('parseLdd() returns the files of libraries and of the linker', () => {
  const output = [
    '\tlinux-vdso.so.1 (0x00007fb2246fb000)',
    '\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007fb2245fb000)',
    '\t/lib64/ld-linux-x86-64.so.2 (0x00007fb2246fd000)',
  ].join('\n')
  assert.deepEqual(parseLdd('x', output), ['/lib/x86_64-linux-gnu/libm.so.6', '/lib64/ld-linux-x86-64.so.2'])
  assert.deepEqual(parseLdd('x', '\tstatically linked\n'), [])
  assert.throws(() => parseLdd('x', '\tlibgone.so.1 => not found\n'), MachineFileMissing)
})

test('sharedLibrariesOf() finds what this Node loads, and nothing for a script', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'ldd-'))
  t.after(() => rm(folder, { recursive: true }))
  const libraries = await sharedLibrariesOf([process.execPath])
  assert.ok(
    libraries.some((path) => path.endsWith('/libc.so.6')),
    libraries.join(' '),
  )
  await writeFile(join(folder, 'script'), '#!/bin/sh\n', { mode: 0o755 })
  assert.deepEqual(await sharedLibrariesOf([join(folder, 'script')]), [])
})

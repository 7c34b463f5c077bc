/** Compressions that content is unpacked from as it arrives. */
export type Compression = 'gz' | 'xz' | 'zst'

/** Formats of disks. An ISO image is a raw disk. */
export type DiskFormat = 'raw' | 'qcow2' | 'vmdk' | 'vdi' | 'vhd' | 'vhdx'

/** What the first bytes of content are. */
export type Detected =
  | { readonly kind: 'compressed'; readonly compression: Compression }
  | { readonly kind: 'disk'; readonly format: DiskFormat }
  | { readonly kind: 'tar' }
  /** Neither a disk nor anything that one is unpacked from; `name` completes "It is …". */
  | { readonly kind: 'other'; readonly name: string }

/** Bytes that {@link detect} looks at; fewer are enough if the content has no more. */
export const headBytes: number = 64 * 1024

interface Magic {
  readonly at: number
  readonly bytes: Buffer
  readonly is: Detected
}

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1')
const disk = (format: DiskFormat): Detected => ({ kind: 'disk', format })
const other = (name: string): Detected => ({ kind: 'other', name })

const magics: readonly Magic[] = [
  { at: 0, bytes: Buffer.from([0x1f, 0x8b, 8]), is: { kind: 'compressed', compression: 'gz' } },
  { at: 0, bytes: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), is: { kind: 'compressed', compression: 'xz' } },
  { at: 0, bytes: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), is: { kind: 'compressed', compression: 'zst' } },
  { at: 0, bytes: ascii('QFI\xFB'), is: disk('qcow2') },
  { at: 0, bytes: ascii('KDMV'), is: disk('vmdk') },
  { at: 0x40, bytes: Buffer.from([0x7f, 0x10, 0xda, 0xbe]), is: disk('vdi') },
  { at: 0, bytes: ascii('conectix'), is: disk('vhd') },
  { at: 0, bytes: ascii('vhdxfile'), is: disk('vhdx') },
  { at: 257, bytes: ascii('ustar'), is: { kind: 'tar' } },
  {
    at: 0,
    bytes: ascii('# Disk DescriptorFile'),
    is: other('the description of a VMDK whose data is in other files: import a monolithic one'),
  },
  { at: 0, bytes: ascii('COWD'), is: other('a VMDK of an old version: convert it with qemu-img') },
  { at: 0, bytes: ascii('QED\0'), is: other('a QED image: convert it with qemu-img') },
  { at: 0, bytes: ascii('WithoutFreeSpace'), is: other('an image of Parallels: convert it with qemu-img') },
  { at: 0, bytes: ascii('WithouFreSpacExt'), is: other('an image of Parallels: convert it with qemu-img') },
  { at: 0, bytes: ascii('BZh'), is: other('compressed by bzip2: use gz, xz or zst') },
  { at: 0, bytes: ascii('PK\x03\x04'), is: other('a ZIP archive: unpack it first') },
  { at: 0, bytes: ascii("7z\xBC\xAF'\x1C"), is: other('a 7-Zip archive: unpack it first') },
  { at: 0, bytes: ascii('Rar!'), is: other('a RAR archive: unpack it first') },
  { at: 0, bytes: ascii('\x04"M\x18'), is: other('compressed by lz4: use gz, xz or zst') },
]

/**
 * Tells what content is by its first bytes; names of files and headers of servers are no evidence.
 * What nothing is known of is a raw disk. Pure.
 */
export function detect(head: Buffer): Detected {
  const found = magics.find(({ at, bytes }) => head.subarray(at, at + bytes.length).equals(bytes))
  if (found !== undefined) return found.is
  if (/^\s*<(?:!doctype html|html|\?xml|error)/i.test(head.subarray(0, 200).toString('latin1')))
    return other('a web page or an error message, no disk: check the address')
  return disk('raw')
}

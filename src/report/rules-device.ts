/** What reports say of the storage below the directory of the trials. */
export const DEVICE_RULES = {
  'device.disk': {
    when: 'for each disk below the directory of the trials',
    sentence: '{kind}, model {model}, size {size}, rotational as the system says: {rotational}',
  },
  'device.alike': { when: 'several disks are told in the same words', sentence: '{count} × {disk}' },
  'device.layers': {
    when: 'something lies between disks and file system',
    sentence: '{disks}; below {layers}',
  },
  'device.memory': { when: 'the file system lies in memory', sentence: 'none: the file system lies in memory' },
  'device.overlay': {
    when: 'the file system is an overlay',
    sentence: 'not known: an overlay does not say what it lies on',
  },
  'device.remote': {
    when: 'the file system is that of another machine',
    sentence: 'not known: the file system is that of another machine, or of the host of this virtual one',
  },
  'device.none': {
    when: 'the system names no device for the file system',
    sentence: 'not known: the system names no device for this file system',
  },
  'device.absent': { when: 'the journal does not have it', sentence: 'not recorded' },
  'device.system': {
    when: 'as device.absent, on another system than Linux',
    sentence: 'not recorded: it is read on Linux alone',
  },
} as const;

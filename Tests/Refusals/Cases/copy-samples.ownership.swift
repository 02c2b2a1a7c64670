// Samples have one owner: a block of them can't be had twice (wall W3).
import EarshotAudio

func copy(_ block: consuming SampleBlock) -> Int {  // expected-error {{'block' consumed more than once}}
  let first = block  // expected-note {{consumed here}}
  let second = block  // expected-note {{consumed again here}}
  return first.count + second.count
}

// Samples can't be encoded or printed, so that sound does not leave (wall W3).
import EarshotAudio

func encode<Value: Encodable>(_ value: borrowing Value) {}  // expected-note {{where 'Value' = 'SampleBlock'}}

func leak(_ block: borrowing SampleBlock) {
  encode(block)  // expected-error {{requires that 'SampleBlock' conform to 'Encodable'}}
  print(block)  // expected-error {{does not conform to expected type 'Copyable'}}
}

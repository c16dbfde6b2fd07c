import av
import numpy as np
import pytest

from kolab_core.sampling.picture import Orientation, to_rgb


@pytest.mark.parametrize("luma", [16, 40, 126, 180, 235])
def test_to_rgb_scaled_grey_is_the_grey_that_the_luma_stands_for(luma):
    # Limited range: 16 is black, 235 white.
    planes = np.full((64 * 3 // 2, 96), 128, dtype=np.uint8)
    planes[:64] = luma
    frame = av.VideoFrame.from_ndarray(planes, format="yuv420p")
    image = to_rgb(frame, width=48, height=32, orientation=Orientation())
    assert image.shape == (32, 48, 3)
    np.testing.assert_allclose(image, (luma - 16) * 255 / 219, atol=1)


def test_to_rgb_scaled_colours_do_not_mix_with_their_neighbours():
    # Blue and red side by side: every pixel away from the seam is one of them.
    planes = np.full((64 * 3 // 2, 96), 110, dtype=np.uint8)
    chroma = planes[64:].reshape(2, 32, 48)
    chroma[0, :, :24], chroma[0, :, 24:] = 200, 90
    chroma[1, :, :24], chroma[1, :, 24:] = 110, 200
    frame = av.VideoFrame.from_ndarray(planes, format="yuv420p")
    image = to_rgb(frame, width=48, height=32, orientation=Orientation())
    left, right = image[:, :22], image[:, 26:]
    assert left.std(axis=(0, 1)).max() < 1.0
    assert right.std(axis=(0, 1)).max() < 1.0
    assert left[0, 0, 2] > left[0, 0, 0] + 60
    assert right[0, 0, 0] > right[0, 0, 2] + 60
